// This header has moved, and is here for one release.
#pragma once
#pragma message( \
    "petri/wasm_builder.h has moved: include petri/wasm_builder/wasm_builder.h, and link petri::wasm_builder")
#include "petri/wasm_builder/wasm_builder.h"
