// This header has moved, and is here for one release.
#pragma once
#pragma message("petri/error.h has moved: include petri/result.h")
#include "petri/result.h"
