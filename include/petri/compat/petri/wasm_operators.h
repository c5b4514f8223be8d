// This header has moved, and is here for one release.
#pragma once
#pragma message( \
    "petri/wasm_operators.h has moved: include petri/wasm_builder/wasm_operators.h, and link petri::wasm_builder")
#include "petri/wasm_builder/wasm_operators.h"
