// This header has moved, and is here for one release.
#pragma once
#pragma message("petri/module_archive.h has moved: include petri/versions.h")
#include "petri/versions.h"
