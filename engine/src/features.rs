//! The WebAssembly that petri accepts; `proposals` names the rest.

use wasmparser::WasmFeatures;

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
