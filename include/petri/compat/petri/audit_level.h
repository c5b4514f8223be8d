// This header has moved, and is here for one release.
#pragma once
#pragma message("petri/audit_level.h has moved: include petri/policy.h")
#include "petri/policy.h"
