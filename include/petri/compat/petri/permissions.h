// This header has moved, and is here for one release.
#pragma once
#pragma message("petri/permissions.h has moved: include petri/policy.h")
#include "petri/policy.h"
