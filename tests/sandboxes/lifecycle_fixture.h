// For tests of what sandboxes go through: a runtime.
#pragma once

#include "runtime_fixture.h"

namespace petri {

class LifecycleTest : public RuntimeFixture {};

}  // namespace petri
