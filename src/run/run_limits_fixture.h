// For tests of the limits of a run.
#pragma once

#include <gmock/gmock.h>

#include "run/run_fixture.h"

namespace petri {

class RunLimits : public RunFixture {};

}  // namespace petri
