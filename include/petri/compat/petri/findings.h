// This header has moved, and is here for one release.
#pragma once
#pragma message("petri/findings.h has moved: include petri/scan.h")
#include "petri/scan.h"
