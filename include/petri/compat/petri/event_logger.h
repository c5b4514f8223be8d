// This header has moved, and is here for one release.
#pragma once
#pragma message("petri/event_logger.h has moved: include petri/logging/event_logger.h, and link petri::logging")
#include "petri/logging/event_logger.h"
