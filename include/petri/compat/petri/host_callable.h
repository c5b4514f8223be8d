// This header has moved, and is here for one release.
#pragma once
#pragma message("petri/host_callable.h has moved: include petri/host_functions.h")
#include "petri/host_functions.h"
