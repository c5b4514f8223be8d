//! The scan of the C surface: what an artifact would do, finding by finding.

use super::artifact::ArtifactHandle;
use super::{Error, Step, Text, borrow, borrow_mut, drop_handle, guarded, no_such};
use crate::scan::{Scan, scan};

/// Findings name pieces of the artifact they were read from.
pub struct ScanHandle {
    artifact: ArtifactHandle,
    scan: Scan,
}

#[repr(C)]
pub struct FindingInfo {
    kind: u32,
    severity: u32,
    function: u32,
    offset: u64,
    number: u64,
    name: Text,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_artifact_scan(
    artifact: *const ArtifactHandle,
    findings_max: u32,
    out: *mut *mut ScanHandle,
    error: *mut Error,
) -> i32 {
    guarded(Step::Scan, error, || {
        // SAFETY: as the header says.
        let (artifact, out) = unsafe { (borrow(artifact)?, borrow_mut(out)?) };
        let scan = scan(artifact, findings_max as usize)?;
        *out = Box::into_raw(Box::new(ScanHandle { artifact: artifact.clone(), scan }));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_scan_drop(scan: *mut ScanHandle) {
    // SAFETY: as the header says.
    unsafe { drop_handle(scan) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_scan_kept(scan: *const ScanHandle) -> u32 {
    // SAFETY: as the header says.
    unsafe { borrow(scan) }.map_or(0, |handle| handle.scan.findings.len() as u32)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_scan_count(scan: *const ScanHandle, severity: u32) -> u64 {
    // SAFETY: as the header says.
    unsafe { borrow(scan) }.map_or(0, |handle| handle.scan.counts.get(severity as usize).copied().unwrap_or(0))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_scan_finding(scan: *const ScanHandle, index: u32, out: *mut FindingInfo) -> i32 {
    guarded(Step::None, std::ptr::null_mut(), || {
        // SAFETY: as the header says.
        let (handle, out) = unsafe { (borrow(scan)?, borrow_mut(out)?) };
        let finding = handle.scan.findings.get(index as usize).ok_or_else(|| no_such("finding"))?;
        *out = FindingInfo {
            kind: finding.kind as u32,
            severity: finding.severity as u32,
            function: finding.function.unwrap_or(u32::MAX),
            offset: finding.offset as u64,
            number: finding.number,
            name: handle.artifact.text(&finding.name).into(),
        };
        Ok(())
    })
}
