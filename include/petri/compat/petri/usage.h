// This header has moved, and is here for one release.
#pragma once
#pragma message("petri/usage.h has moved: include petri/events.h")
#include "petri/events.h"
