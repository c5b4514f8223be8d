// This header has moved, and is here for one release.
#pragma once
#pragma message("petri/sandbox_limits.h has moved: include petri/limits.h")
#include "petri/limits.h"
