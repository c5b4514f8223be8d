//! `petri_engine.h`: the C surface. Every function catches panics and checks its pointers; what its caller has to
//! keep to is written there.
#![allow(clippy::missing_safety_doc)]

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::slice;
use std::sync::{Arc, Once};

use sha2::{Digest, Sha256};

use crate::artifact::{Artifact, Export, Extern, Signature};
use crate::bare::Bare;
use crate::code::{Code, Effort, Instance, Number, Series, Shape, Tier, precompile, start_helper};
use crate::failure::{Failure, Result, Status};
use crate::guest::{Budget, End, EndKind};
use crate::raw::{Caller, Context, Host, HostFunction};
use crate::scan::{Scan, scan};
use crate::{bounds, costs, guest, interpreted, math, text, touched};

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    data: *const u8,
    size: usize,
}

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Text {
        Text { data: bytes.as_ptr(), size: bytes.len() }
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        text.as_bytes().into()
    }
}

const MESSAGE_MAX: usize = 1020;

#[repr(C)]
pub struct Error {
    status: i32,
    line: u32,
    column: u32,
    offset: u64,
    message_size: u32,
    message: [u8; MESSAGE_MAX],
}

impl Error {
    fn fill(&mut self, failure: &Failure) {
        self.status = failure.status as i32;
        (self.line, self.column) = failure.line_column.unwrap_or((0, 0));
        self.offset = failure.offset.unwrap_or(u64::MAX);
        let text = &failure.message;
        let size = (0..=text.len().min(MESSAGE_MAX)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        self.message[..size].copy_from_slice(&text.as_bytes()[..size]);
        self.message_size = size as u32;
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Step {
    None = 0,
    Prepare = 1,
    Load = 2,
    Instantiate = 3,
    Call = 4,
    Drop = 5,
    Scan = 6,
}

thread_local! {
    static PANIC_AT: Cell<u32> = const { Cell::new(Step::None as u32) };
}

fn panic_if_asked(step: Step) {
    if step != Step::None && PANIC_AT.get() == step as u32 {
        PANIC_AT.set(Step::None as u32);
        panic!("asked to panic by a test");
    }
}

thread_local! {
    /// How many calls of the crate are under way on this thread whose panics are caught.
    static GUARDED: Cell<u32> = const { Cell::new(0) };
}

/// Counts itself for as long as it lives, through a panic too.
struct Guard;

impl Guard {
    fn new() -> Guard {
        static HOOK: Once = Once::new();
        HOOK.call_once(keep_caught_panics_quiet);
        GUARDED.set(GUARDED.get() + 1);
        Guard
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        GUARDED.set(GUARDED.get() - 1);
    }
}

/// A panic that is caught is reported as a failure, with its message. The usual hook would also write to standard error,
/// and name a source file of the machine that built this.
fn keep_caught_panics_quiet() {
    let usual = take_hook();
    set_hook(Box::new(move |panic| {
        if GUARDED.get() == 0 {
            usual(panic);
        }
    }));
}

fn caught<T>(action: impl FnOnce() -> T) -> std::thread::Result<T> {
    let _guard = Guard::new();
    catch_unwind(AssertUnwindSafe(action))
}

/// Apart from `caught`, so that a call that does not panic pays nothing for it: a seventh of a short one.
#[cold]
fn after_panic(panic: Box<dyn std::any::Any + Send>) -> Failure {
    let _ = catch_unwind(interpreted::leave_shared_engine);
    Failure::fault(message_of(panic))
}

fn message_of(panic: Box<dyn std::any::Any + Send>) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    format!("an engine panicked: {}", text.unwrap_or("without a message"))
}

/// Runs an action, turning failure and panic into a status and a filled-in error.
pub(crate) fn guarded(step: Step, error: *mut Error, action: impl FnOnce() -> Result<()>) -> i32 {
    let outcome = caught(|| {
        panic_if_asked(step);
        action()
    });
    let failure = match outcome {
        Ok(Ok(())) => return Status::Ok as i32,
        Ok(Err(failure)) => failure,
        Err(panic) => after_panic(panic),
    };
    // SAFETY: null, or the caller's own error struct.
    if let Some(error) = unsafe { error.as_mut() } {
        error.fill(&failure);
    }
    failure.status as i32
}

/// # Safety
/// `data` is null or names `size` bytes that stay as they are while the slice is used.
unsafe fn bytes<'a>(data: *const u8, size: usize) -> &'a [u8] {
    if data.is_null() || size == 0 {
        return &[];
    }
    // SAFETY: the caller of this function vouches for it.
    unsafe { slice::from_raw_parts(data, size) }
}

/// # Safety
/// `slots` is null or names `count` slots that nobody else uses meanwhile.
unsafe fn slots_of<'a>(slots: *mut u64, count: usize) -> &'a mut [u64] {
    if slots.is_null() {
        return &mut [];
    }
    // SAFETY: the caller of this function vouches for it.
    unsafe { slice::from_raw_parts_mut(slots, count) }
}

/// # Safety
/// `handle` is null or one this crate gave out and was not given back.
unsafe fn borrow<'a, T>(handle: *const T) -> Result<&'a T> {
    // SAFETY: the caller of this function vouches for it.
    unsafe { handle.as_ref() }.ok_or_else(|| Failure::misuse("a handle is null"))
}

/// # Safety
/// As `borrow`, and nobody else uses the handle meanwhile.
unsafe fn borrow_mut<'a, T>(handle: *mut T) -> Result<&'a mut T> {
    // SAFETY: the caller of this function vouches for it.
    unsafe { handle.as_mut() }.ok_or_else(|| Failure::misuse("a handle or an out parameter is null"))
}

/// # Safety
/// `handle` is null or owned by the caller, who gives it up.
unsafe fn drop_handle<T>(handle: *mut T) {
    if !handle.is_null() {
        let _ = caught(|| {
            // SAFETY: the caller of this function vouches for it.
            let owned = unsafe { Box::from_raw(handle) };
            panic_if_asked(Step::Drop);
            drop(owned);
        });
    }
}

type ArtifactHandle = Arc<Artifact>;

#[repr(C)]
pub struct Bytes {
    data: *mut u8,
    size: usize,
}

impl Bytes {
    /// What was there before is not looked at.
    fn give(&mut self, bytes: Vec<u8>) {
        let bytes = bytes.into_boxed_slice();
        self.size = bytes.len();
        self.data = Box::into_raw(bytes).cast();
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_wat(source: *const u8, size: usize, out: *mut Bytes, error: *mut Error) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let (source, out) = unsafe { (bytes(source, size), borrow_mut(out)?) };
        let source = std::str::from_utf8(source).map_err(|error| not_utf8(source, error.valid_up_to()))?;
        text::check(source)?;
        out.give(wat::parse_str(source).map_err(|error| parse_failure(&error))?);
        Ok(())
    })
}

fn not_utf8(text: &[u8], at: usize) -> Failure {
    let before = &text[..at];
    let line = before.iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() as u32 + 1;
    Failure { line_column: Some((line, column)), ..Failure::new(Status::ParseFailed, "the text is not UTF-8") }
}

/// `wat` prints its place as `--> <anon>:line:column`; the first line is the message.
fn parse_failure(error: &wat::Error) -> Failure {
    let text = error.to_string();
    let place = text.lines().find_map(|line| line.trim_start().strip_prefix("--> <anon>:"));
    let line_column = place
        .and_then(|place| place.split_once(':'))
        .and_then(|(line, column)| Some((line.parse().ok()?, column.parse().ok()?)));
    let message = text.lines().next().unwrap_or("the text does not parse");
    Failure { line_column, ..Failure::new(Status::ParseFailed, message) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_bytes_drop(bytes: Bytes) {
    if !bytes.data.is_null() {
        // SAFETY: made by `Bytes::give` from a boxed slice of this size.
        drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(bytes.data, bytes.size)) });
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_prepare(
    wasm: *const u8,
    size: usize,
    out: *mut *mut ArtifactHandle,
    error: *mut Error,
) -> i32 {
    guarded(Step::Prepare, error, || {
        // SAFETY: as the header says.
        let (wasm, out) = unsafe { (bytes(wasm, size), borrow_mut(out)?) };
        *out = Box::into_raw(Box::new(Arc::new(Artifact::prepare(wasm)?)));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_prepare_hashed(
    wasm: *const u8,
    size: usize,
    sha256: *const [u8; 32],
    out: *mut *mut ArtifactHandle,
    error: *mut Error,
) -> i32 {
    guarded(Step::Prepare, error, || {
        // SAFETY: as the header says.
        let (wasm, sha256, out) = unsafe { (bytes(wasm, size), borrow(sha256)?, borrow_mut(out)?) };
        *out = Box::into_raw(Box::new(Arc::new(Artifact::prepare_hashed(wasm, *sha256)?)));
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

fn no_such(what: &str) -> Failure {
    Failure::misuse(format!("there is no {what} with this index"))
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

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_caller_memory(caller: *mut Caller, data: *mut *mut u8, size: *mut usize) {
    // SAFETY: as the header says.
    let (Ok(caller), Ok(data), Ok(size)) = (unsafe { (borrow_mut(caller), borrow_mut(data), borrow_mut(size)) }) else {
        return;
    };
    (*data, *size) = caller.access.memory();
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_caller_context(caller: *mut Caller) -> *mut std::ffi::c_void {
    // SAFETY: as the header says.
    unsafe { borrow_mut(caller) }.map_or(std::ptr::null_mut(), |caller| caller.access.account().context.0)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_caller_fuel_used(caller: *mut Caller) -> u64 {
    // SAFETY: as the header says.
    let Ok(caller) = (unsafe { borrow_mut(caller) }) else { return 0 };
    let counter = caller.access.counter();
    caller.access.account().used(counter)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_caller_charge(caller: *mut Caller, fuel: u64) -> u32 {
    // SAFETY: as the header says.
    let Ok(caller) = (unsafe { borrow_mut(caller) }) else { return 1 };
    u32::from(caller.access.charge(fuel).is_err())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_caller_stop(caller: *mut Caller, kind: u32, code: i32) {
    // SAFETY: as the header says.
    let Ok(caller) = (unsafe { borrow_mut(caller) }) else { return };
    let kind = match kind {
        4 => EndKind::MemoryLimit,
        6 => EndKind::Exited,
        7 => EndKind::Cancelled,
        _ => EndKind::Refused,
    };
    caller.access.account().stop(kind, code);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_caller_call_depth(caller: *mut Caller) -> u32 {
    // SAFETY: as the header says.
    unsafe { borrow_mut(caller) }.map_or(0, |caller| guest::depth_left(caller.access))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_caller_call(
    caller: *mut Caller,
    instance: *mut Instance,
    export: u32,
    slots: *mut u64,
    slots_count: usize,
    end: *mut End,
    error: *mut Error,
) -> i32 {
    guarded(Step::Call, error, || {
        // SAFETY: as the header says; the instance is another than the one that called.
        let (caller, instance, end) = unsafe { (borrow_mut(caller)?, borrow_mut(instance)?, borrow_mut(end)?) };
        // SAFETY: the caller passes this many slots, or none.
        let slots = unsafe { slots_of(slots, slots_count) };
        *end = guest::call_linked(caller.access, instance, export, slots)?;
        Ok(())
    })
}

#[repr(C)]
pub struct MathInfo {
    name: Text,
    params_count: u32,
    fuel: u32,
}

#[unsafe(no_mangle)]
pub extern "C" fn petri_math_count() -> u32 {
    math::FUNCTIONS.len() as u32
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_math_function(index: u32, out: *mut MathInfo) {
    // SAFETY: as the header says.
    let (Ok(out), Some(entry)) = (unsafe { borrow_mut(out) }, math::FUNCTIONS.get(index as usize)) else { return };
    *out = MathInfo { name: entry.name.into(), params_count: entry.params(), fuel: entry.fuel };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_load(
    artifact: *const ArtifactHandle,
    tier: u32,
    imports: *const HostFunction,
    imports_count: usize,
    out: *mut *mut Code,
    error: *mut Error,
) -> i32 {
    guarded(Step::Load, error, || {
        // SAFETY: as the header says.
        let (artifact, out) = unsafe { (borrow(artifact)?, borrow_mut(out)?) };
        // SAFETY: the caller passes this many host functions, or none.
        let imports = unsafe { functions_of(imports, imports_count) };
        let tier = if tier == 0 { Tier::Interpreted } else { Tier::Compiled };
        *out = Box::into_raw(Box::new(Code::load(artifact.clone(), tier, imports)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_load_brief(
    artifact: *const ArtifactHandle,
    imports: *const HostFunction,
    imports_count: usize,
    out: *mut *mut Code,
    error: *mut Error,
) -> i32 {
    guarded(Step::Load, error, || {
        // SAFETY: as the header says.
        let (artifact, out) = unsafe { (borrow(artifact)?, borrow_mut(out)?) };
        // SAFETY: the caller passes this many host functions, or none.
        let imports = unsafe { functions_of(imports, imports_count) };
        *out = Box::into_raw(Box::new(Code::load_brief(artifact.clone(), imports)?));
        Ok(())
    })
}

/// # Safety
/// `functions` is null or names `count` host functions that stay as they are while the slice is used.
unsafe fn functions_of<'a>(functions: *const HostFunction, count: usize) -> &'a [HostFunction] {
    if functions.is_null() {
        return &[];
    }
    // SAFETY: the caller of this function vouches for it.
    unsafe { slice::from_raw_parts(functions, count) }
}

fn effort_of(frugal: u32) -> Effort {
    if frugal == 0 { Effort::Full } else { Effort::Frugal }
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

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_precompile(
    metered: *const u8,
    size: usize,
    frugal: u32,
    out: *mut Bytes,
    error: *mut Error,
) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let (metered, out) = unsafe { (bytes(metered, size), borrow_mut(out)?) };
        out.give(precompile(metered, effort_of(frugal))?);
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_compile_helper(stack_bytes: usize, error: *mut Error) -> i32 {
    guarded(Step::None, error, || start_helper(stack_bytes))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_load_precompiled(
    artifact: *const ArtifactHandle,
    machine_code: *const u8,
    size: usize,
    frugal: u32,
    imports: *const HostFunction,
    imports_count: usize,
    out: *mut *mut Code,
    error: *mut Error,
) -> i32 {
    guarded(Step::Load, error, || {
        // SAFETY: as the header says.
        let (artifact, out) = unsafe { (borrow(artifact)?, borrow_mut(out)?) };
        // SAFETY: the caller passes this many bytes and host functions, or none.
        let (machine_code, imports) = unsafe { (bytes(machine_code, size), functions_of(imports, imports_count)) };
        let code = Code::load_precompiled(artifact.clone(), machine_code, effort_of(frugal), imports)?;
        *out = Box::into_raw(Box::new(code));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_code_drop(code: *mut Code) {
    // SAFETY: as the header says.
    unsafe { drop_handle(code) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instantiate(
    code: *const Code,
    host: *const Host,
    memory_bytes_max: u64,
    budget: *const Budget,
    context: *mut std::ffi::c_void,
    out: *mut *mut Instance,
    end: *mut End,
    error: *mut Error,
) -> i32 {
    guarded(Step::Instantiate, error, || {
        // SAFETY: as the header says.
        let (code, out, end) = unsafe { (borrow(code)?, borrow_mut(out)?, borrow_mut(end)?) };
        // SAFETY: null, or the caller's host.
        let host = unsafe { host.as_ref() }.copied().unwrap_or(Host::none());
        // SAFETY: null, or the caller's budget.
        let time = unsafe { budget.as_ref() }.map(|budget| (budget, Context(context)));
        *out = std::ptr::null_mut();
        match code.instantiate_within(host, memory_bytes_max, time)? {
            Ok(instance) => *out = Box::into_raw(Box::new(instance)),
            Err(why) => *end = why,
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_drop(instance: *mut Instance) {
    // SAFETY: as the header says.
    unsafe { drop_handle(instance) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_set_memory_max(instance: *mut Instance, memory_bytes_max: u64) {
    // SAFETY: as the header says.
    if let Ok(instance) = unsafe { borrow_mut(instance) } {
        instance.account().memory_bytes_max = memory_bytes_max;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_call(
    instance: *mut Instance,
    export: u32,
    budget: *const Budget,
    context: *mut std::ffi::c_void,
    slots: *mut u64,
    slots_count: usize,
    end: *mut End,
    error: *mut Error,
) -> i32 {
    guarded(Step::Call, error, || {
        // SAFETY: as the header says.
        let (instance, budget, end) = unsafe { (borrow_mut(instance)?, borrow(budget)?, borrow_mut(end)?) };
        // SAFETY: the caller passes this many slots, or none.
        let slots = unsafe { slots_of(slots, slots_count) };
        *end = instance.call(export, budget, Context(context), slots)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_call_series(
    instance: *mut Instance,
    export: u32,
    budget: *const Budget,
    context: *mut std::ffi::c_void,
    slots: *mut u64,
    slots_each: usize,
    calls: usize,
    fuel_max: u64,
    series: *mut Series,
    error: *mut Error,
) -> i32 {
    guarded(Step::Call, error, || {
        // SAFETY: as the header says.
        let (instance, budget, series) = unsafe { (borrow_mut(instance)?, borrow(budget)?, borrow_mut(series)?) };
        let count = calls.checked_mul(slots_each).ok_or_else(|| Failure::misuse("there are too many slots"))?;
        // SAFETY: the caller passes this many slots, or none.
        let slots = unsafe { slots_of(slots, count) };
        *series = instance.call_series(export, budget, Context(context), slots, calls, fuel_max)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_memory(instance: *mut Instance, data: *mut *mut u8, size: *mut usize) {
    // SAFETY: as the header says.
    let (Ok(instance), Ok(data), Ok(size)) = (unsafe { (borrow_mut(instance), borrow_mut(data), borrow_mut(size)) })
    else {
        return;
    };
    (*data, *size) = instance.memory();
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_global(instance: *mut Instance, global: u32, value: *mut u64) -> i32 {
    guarded(Step::None, std::ptr::null_mut(), || {
        // SAFETY: as the header says.
        let (instance, value) = unsafe { (borrow_mut(instance)?, borrow_mut(value)?) };
        *value = instance.global(global).ok_or_else(|| no_such("reachable global"))?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_set_global(instance: *mut Instance, global: u32, value: u64) -> i32 {
    guarded(Step::None, std::ptr::null_mut(), || {
        // SAFETY: as the header says.
        let instance = unsafe { borrow_mut(instance)? };
        if instance.set_global(global, value) { Ok(()) } else { Err(no_such("mutable global")) }
    })
}

#[repr(C)]
pub struct CountedShape {
    shape: Shape,
    mutable_globals: u64,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_shape(
    instance: *mut Instance,
    out: *mut CountedShape,
    error: *mut Error,
) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let (instance, out) = unsafe { (borrow_mut(instance)?, borrow_mut(out)?) };
        *out = CountedShape { shape: instance.shape()?, mutable_globals: instance.mutable_globals_count() };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_mutable_globals(
    instance: *mut Instance,
    globals: *mut Number,
    globals_count: usize,
    error: *mut Error,
) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let instance = unsafe { borrow_mut(instance)? };
        let numbers = instance.mutable_globals()?;
        if numbers.len() != globals_count || (globals.is_null() && globals_count > 0) {
            return Err(Failure::misuse("the number of mutable globals is another"));
        }
        // SAFETY: the caller passes room for this many, or for none.
        unsafe { numbers.iter().enumerate().for_each(|(index, number)| globals.add(index).write(*number)) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_reshape(
    instance: *mut Instance,
    shape: *const CountedShape,
    globals: *const Number,
    error: *mut Error,
) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let (instance, shape) = unsafe { (borrow_mut(instance)?, borrow(shape)?) };
        let count = if globals.is_null() { 0 } else { shape.mutable_globals as usize };
        // SAFETY: the caller passes this many globals, or none.
        let globals = if count == 0 { &[][..] } else { unsafe { slice::from_raw_parts(globals, count) } };
        instance.reshape(&shape.shape, globals)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_adopt(instance: *mut Instance, from: *mut Instance, error: *mut Error) -> i32 {
    guarded(Step::None, error, || {
        if std::ptr::eq(instance, from) {
            return Err(Failure::misuse("an instance cannot be moved into itself"));
        }
        // SAFETY: as the header says; two different instances, the caller's alone.
        let (instance, from) = unsafe { (borrow_mut(instance)?, borrow_mut(from)?) };
        instance.adopt(from)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_look(instance: *mut Instance, error: *mut Error) -> i32 {
    // SAFETY: as the header says.
    guarded(Step::None, error, || unsafe { borrow_mut(instance) }?.look_while_made())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_touched_pages(memory: *const u8, flags: *mut u8, flags_count: usize) {
    if !flags.is_null() {
        // SAFETY: the caller passes this many flags. The memory is not read.
        touched::fill(memory, unsafe { slice::from_raw_parts_mut(flags, flags_count) });
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_sha256(data: *const u8, size: usize, out: *mut [u8; 32]) {
    // SAFETY: as the header says.
    let (data, Ok(out)) = (unsafe { (bytes(data, size), borrow_mut(out)) }) else { return };
    *out = Sha256::digest(data).into();
}

#[unsafe(no_mangle)]
pub extern "C" fn petri_hasher_new() -> *mut Sha256 {
    Box::into_raw(Box::new(Sha256::new()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_hasher_add(hasher: *mut Sha256, data: *const u8, size: usize) {
    // SAFETY: as the header says.
    let (data, Ok(hasher)) = (unsafe { (bytes(data, size), borrow_mut(hasher)) }) else { return };
    hasher.update(data);
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_hasher_digest(hasher: *const Sha256, out: *mut [u8; 32]) {
    // SAFETY: as the header says.
    let (Ok(hasher), Ok(out)) = (unsafe { (borrow(hasher), borrow_mut(out)) }) else { return };
    *out = hasher.clone().finalize().into();
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_hasher_drop(hasher: *mut Sha256) {
    // SAFETY: as the header says.
    unsafe { drop_handle(hasher) }
}

#[repr(C)]
pub struct Frame {
    function: u32,
    offset: u64,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_instance_backtrace(
    instance: *mut Instance,
    frames: *mut Frame,
    frames_max: usize,
) -> usize {
    // SAFETY: as the header says.
    let Ok(instance) = (unsafe { borrow_mut(instance) }) else { return 0 };
    // SAFETY: the caller passes room for this many frames, or none.
    let room = if frames.is_null() { &mut [][..] } else { unsafe { slice::from_raw_parts_mut(frames, frames_max) } };
    let known = caught(|| instance.backtrace()).unwrap_or_default();
    for (frame, (function, offset)) in room.iter_mut().zip(&known) {
        *frame = Frame { function: *function, offset: *offset };
    }
    known.len().min(room.len())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_bare_open(
    wasm: *const u8,
    size: usize,
    tier: u32,
    own_fuel: u32,
    export: *const u8,
    export_size: usize,
    out: *mut *mut Bare,
    error: *mut Error,
) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let (wasm, export, out) = unsafe { (bytes(wasm, size), bytes(export, export_size), borrow_mut(out)?) };
        let tier = if tier == 0 { Tier::Interpreted } else { Tier::Compiled };
        let export = String::from_utf8_lossy(export);
        *out = Box::into_raw(Box::new(Bare::open(wasm, tier, own_fuel != 0, &export)?));
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_bare_call(
    bare: *mut Bare,
    slots: *mut u64,
    slots_count: usize,
    error: *mut Error,
) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: the caller passes this many slots, or none.
        let slots = unsafe { slots_of(slots, slots_count) };
        // SAFETY: as the header says.
        unsafe { borrow_mut(bare)? }.call(slots)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_bare_call_typed(bare: *mut Bare, times: u32, sum: *mut f64, error: *mut Error) -> i32 {
    guarded(Step::None, error, || {
        // SAFETY: as the header says.
        let (bare, sum) = unsafe { (borrow_mut(bare)?, borrow_mut(sum)?) };
        *sum = bare.call_typed(times)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_bare_drop(bare: *mut Bare) {
    // SAFETY: as the header says.
    unsafe { drop_handle(bare) }
}

#[repr(C)]
pub struct BoundInfo {
    name: Text,
    what: Text,
    max: u64,
}

#[unsafe(no_mangle)]
pub extern "C" fn petri_bound_count() -> u32 {
    bounds::ALL.len() as u32
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_bound_at(index: u32, out: *mut BoundInfo) {
    // SAFETY: as the header says.
    let (Ok(out), Some(bound)) = (unsafe { borrow_mut(out) }, bounds::ALL.get(index as usize)) else { return };
    *out = BoundInfo { name: bound.name.into(), what: bound.what.into(), max: bound.max };
}

#[repr(C)]
pub struct FuelRule {
    what: Text,
    cost: Text,
}

#[unsafe(no_mangle)]
pub extern "C" fn petri_fuel_table_version() -> u32 {
    costs::VERSION
}

#[unsafe(no_mangle)]
pub extern "C" fn petri_fuel_rule_count() -> u32 {
    costs::RULES.len() as u32
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn petri_fuel_rule_at(index: u32, out: *mut FuelRule) {
    // SAFETY: as the header says.
    let (Ok(out), Some((what, cost))) = (unsafe { borrow_mut(out) }, costs::RULES.get(index as usize)) else { return };
    *out = FuelRule { what: (*what).into(), cost: (*cost).into() };
}

#[unsafe(no_mangle)]
pub extern "C" fn petri_engine_versions() -> Text {
    concat!("wasmi 2.0.0, wasmtime 48, petri-engine ", env!("CARGO_PKG_VERSION")).into()
}

#[unsafe(no_mangle)]
pub extern "C" fn petri_panic_at(step: u32) {
    PANIC_AT.set(step);
}
