// This header has moved, and is here for one release.
#pragma once
#pragma message("petri/testing.h has moved: include petri/testing/testing.h, and link petri::testing")
#include "petri/testing/testing.h"
