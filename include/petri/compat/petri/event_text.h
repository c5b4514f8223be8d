// This header has moved, and is here for one release.
#pragma once
#pragma message("petri/event_text.h has moved: include petri/event_sinks.h")
#include "petri/event_sinks.h"
