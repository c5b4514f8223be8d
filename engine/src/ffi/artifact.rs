//! The artifact of the C surface: a checked module, what it declares, and its metered bytes.

use std::sync::Arc;

use super::{Bytes, Error, Step, Text, borrow, borrow_mut, bytes, caught, drop_handle, guarded, no_such};
use crate::artifact::{Artifact, Export, Extern, Signature};
use crate::bounds::Set;

pub(super) type ArtifactHandle = Arc<Artifact>;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_prepare(
    wasm: *const u8,
    size: usize,
    bounds: u32,
    out: *mut *mut ArtifactHandle,
    error: *mut Error,
) -> i32 {
    guarded(Step::Prepare, error, || {
        // SAFETY: as the header says.
        let (wasm, out) = unsafe { (bytes(wasm, size), borrow_mut(out)?) };
        *out = Box::into_raw(Box::new(Arc::new(Artifact::prepare(wasm, Set::of(bounds))?)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_prepare_hashed(
    wasm: *const u8,
    size: usize,
    bounds: u32,
    sha256: *const [u8; 32],
    out: *mut *mut ArtifactHandle,
    error: *mut Error,
) -> i32 {
    guarded(Step::Prepare, error, || {
        // SAFETY: as the header says.
        let (wasm, sha256, out) = unsafe { (bytes(wasm, size), borrow(sha256)?, borrow_mut(out)?) };
        *out = Box::into_raw(Box::new(Arc::new(Artifact::prepare_hashed(wasm, Set::of(bounds), *sha256)?)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_artifact_drop(artifact: *mut ArtifactHandle) {
    // SAFETY: as the header says.
    unsafe { drop_handle(artifact) }
}

#[repr(C)]
pub struct ModuleInfo {
    sha256: [u8; 32],
    bytes: u64,
    code_bytes: u64,
    metered_bytes: u64,
    types: u32,
    imports: u32,
    functions: u32,
    tables: u32,
    memories: u32,
    globals: u32,
    exports: u32,
    element_segments: u32,
    data_segments: u32,
    has_start: u32,
    features: u32,
    not_movable: u32,
    memory_pages_min: u64,
    memory_pages_max: u64,
    table_slots_min: u64,
    instance_bytes: u64,
    stack_bytes_fixed: u64,
    stack_bytes_per_depth: u64,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_artifact_info(artifact: *const ArtifactHandle, out: *mut ModuleInfo) {
    // SAFETY: as the header says.
    let (Ok(artifact), Ok(out)) = (unsafe { borrow(artifact) }, unsafe { borrow_mut(out) }) else { return };
    let module = &artifact.module;
    *out = ModuleInfo {
        sha256: artifact.sha256,
        bytes: artifact.wasm.len() as u64,
        code_bytes: module.code_bytes,
        metered_bytes: artifact.metered_bytes,
        types: module.types.len() as u32,
        imports: module.imports.len() as u32,
        functions: module.functions.len() as u32 - module.imported_functions,
        tables: module.tables.len() as u32,
        memories: u32::from(module.memory.is_some()),
        globals: module.globals.len() as u32,
        exports: module.exports.len() as u32,
        element_segments: module.element_segments,
        data_segments: module.data_segments,
        has_start: u32::from(module.start.is_some()),
        features: module.features,
        not_movable: module.not_movable,
        memory_pages_min: module.memory.map_or(0, |memory| memory.min),
        memory_pages_max: module.memory.and_then(|memory| memory.max).unwrap_or(u64::MAX),
        table_slots_min: module.table_slots(),
        instance_bytes: module.instance_bytes(),
        stack_bytes_fixed: module.stack_bytes_fixed,
        stack_bytes_per_depth: module.stack_bytes_per_depth,
    };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_artifact_bytes(artifact: *const ArtifactHandle, data: *mut *const u8, size: *mut usize) {
    // SAFETY: as the header says.
    let (Ok(artifact), Ok(data), Ok(size)) = (unsafe { (borrow(artifact), borrow_mut(data), borrow_mut(size)) }) else {
        return;
    };
    (*data, *size) = (artifact.wasm.as_ptr(), artifact.wasm.len());
}

#[repr(C)]
pub struct SignatureInfo {
    params: *const u8,
    results: *const u8,
    params_count: u32,
    results_count: u32,
}

impl From<&Signature> for SignatureInfo {
    fn from(signature: &Signature) -> SignatureInfo {
        SignatureInfo {
            params: signature.params.as_ptr().cast(),
            results: signature.results.as_ptr().cast(),
            params_count: signature.params.len() as u32,
            results_count: signature.results.len() as u32,
        }
    }
}

#[repr(C)]
pub struct ImportInfo {
    module: Text,
    name: Text,
    kind: u32,
    signature: SignatureInfo,
    offset: u64,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_artifact_import(
    artifact: *const ArtifactHandle,
    index: u32,
    out: *mut ImportInfo,
) -> i32 {
    guarded(Step::None, std::ptr::null_mut(), || {
        // SAFETY: as the header says.
        let (artifact, out) = unsafe { (borrow(artifact)?, borrow_mut(out)?) };
        let import = artifact.module.imports.get(index as usize).ok_or_else(|| no_such("import"))?;
        let signature = match import.kind {
            Extern::Function => &artifact.module.types[import.type_index as usize],
            _ => NO_SIGNATURE,
        };
        *out = ImportInfo {
            module: artifact.text(&import.module).into(),
            name: artifact.text(&import.name).into(),
            kind: import.kind as u32,
            signature: signature.into(),
            offset: import.module.start as u64,
        };
        Ok(())
    })
}

const NO_SIGNATURE: &Signature = &Signature { params: Vec::new(), results: Vec::new() };

#[repr(C)]
pub struct ExportInfo {
    name: Text,
    kind: u32,
    index: u32,
    signature: SignatureInfo,
    global_type: u32,
    global_mutable: u32,
    offset: u64,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_artifact_export(
    artifact: *const ArtifactHandle,
    index: u32,
    out: *mut ExportInfo,
) -> i32 {
    guarded(Step::None, std::ptr::null_mut(), || {
        // SAFETY: as the header says.
        let (artifact, out) = unsafe { (borrow(artifact)?, borrow_mut(out)?) };
        let export = artifact.module.exports.get(index as usize).ok_or_else(|| no_such("export"))?;
        *out = describe_export(artifact, export);
        Ok(())
    })
}

fn describe_export(artifact: &Artifact, export: &Export) -> ExportInfo {
    let global = (export.kind == Extern::Global).then(|| &artifact.module.globals[export.index as usize]);
    ExportInfo {
        name: artifact.text(&export.name).into(),
        kind: export.kind as u32,
        index: export.index,
        signature: if export.kind == Extern::Function { artifact.module.signature(export.index) } else { NO_SIGNATURE }
            .into(),
        global_type: global.map_or(0, |global| global.kind as u32),
        global_mutable: global.map_or(0, |global| u32::from(global.mutable)),
        offset: export.name.start as u64,
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_artifact_function_name(artifact: *const ArtifactHandle, function: u32) -> Text {
    // SAFETY: as the header says.
    let name = unsafe { borrow(artifact) }
        .ok()
        .and_then(|artifact| caught(|| artifact.function_name(function)).ok().flatten());
    name.unwrap_or_default().into()
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_artifact_metered(
    artifact: *const ArtifactHandle,
    out: *mut Bytes,
    error: *mut Error,
) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let (artifact, out) = unsafe { (borrow(artifact)?, borrow_mut(out)?) };
        out.give(artifact.metered());
        Ok(())
    })
}
