// Puts the sections of a draft together into the bytes of a module.
#pragma once

#include "wasm_builder/encoding.h"
#include "wasm_builder/wasm_draft.h"

namespace petri {

// Replaces what is in `bytes`. The draft has passed its check().
void assemble(const WasmDraft& draft, WasmBytes& bytes);

}  // namespace petri
