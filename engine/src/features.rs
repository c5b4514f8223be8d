//! Which WebAssembly petri accepts, and by which name it refuses the rest.

use wasmparser::{Validator, WasmFeatures};

/// The MVP with what ordinary compilers emit today.
pub fn accepted() -> WasmFeatures {
    WasmFeatures::MUTABLE_GLOBAL
        | WasmFeatures::SIGN_EXTENSION
        | WasmFeatures::SATURATING_FLOAT_TO_INT
        | WasmFeatures::BULK_MEMORY
        | WasmFeatures::MULTI_VALUE
        | WasmFeatures::REFERENCE_TYPES
        | WasmFeatures::CALL_INDIRECT_OVERLONG
        | WasmFeatures::BULK_MEMORY_OPT
        | WasmFeatures::EXTENDED_CONST
        | WasmFeatures::FLOATS
}

const REFUSED: &[(&str, WasmFeatures)] = &[
    ("externref", WasmFeatures::GC_TYPES),
    ("SIMD", WasmFeatures::SIMD),
    ("relaxed SIMD", WasmFeatures::SIMD.union(WasmFeatures::RELAXED_SIMD)),
    ("threads", WasmFeatures::THREADS),
    ("tail calls", WasmFeatures::TAIL_CALL),
    ("exceptions", WasmFeatures::EXCEPTIONS.union(WasmFeatures::LEGACY_EXCEPTIONS).union(WasmFeatures::GC_TYPES)),
    ("multi-memory", WasmFeatures::MULTI_MEMORY),
    ("memory64", WasmFeatures::MEMORY64),
    ("custom page sizes", WasmFeatures::CUSTOM_PAGE_SIZES),
    ("typed function references", WasmFeatures::FUNCTION_REFERENCES.union(WasmFeatures::GC_TYPES)),
    ("GC", WasmFeatures::FUNCTION_REFERENCES.union(WasmFeatures::GC).union(WasmFeatures::GC_TYPES)),
    ("wide arithmetic", WasmFeatures::WIDE_ARITHMETIC),
    ("shared-everything threads", WasmFeatures::THREADS.union(WasmFeatures::SHARED_EVERYTHING_THREADS)),
    (
        "stack switching",
        WasmFeatures::STACK_SWITCHING
            .union(WasmFeatures::FUNCTION_REFERENCES)
            .union(WasmFeatures::EXCEPTIONS)
            .union(WasmFeatures::GC_TYPES),
    ),
    ("the component model", WasmFeatures::COMPONENT_MODEL),
];

/// The names of the proposals a refused module would need, as few as do; empty when no proposal makes it valid.
pub fn proposals_needed(wasm: &[u8]) -> Vec<&'static str> {
    let valid = |proposals: &[&(&str, WasmFeatures)]| {
        let features = proposals.iter().fold(accepted(), |all, (_, feature)| all | *feature);
        Validator::new_with_features(features).validate_all(wasm).is_ok()
    };
    let mut needed: Vec<_> = REFUSED.iter().collect();
    if !valid(&needed) {
        return Vec::new();
    }
    // Proposals that stand on others come after them, so that they are left out first.
    for index in (0..REFUSED.len()).rev() {
        let without = [&needed[..index], &needed[index + 1..]].concat();
        if valid(&without) {
            needed = without;
        }
    }
    needed.iter().map(|(name, _)| *name).collect()
}
