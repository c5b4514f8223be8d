// This header has moved, and is here for one release.
#pragma once
#pragma message("petri/report.h has moved: include petri/report/report.h, and link petri::report")
#include "petri/report/report.h"
