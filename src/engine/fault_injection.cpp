#include "engine/fault_injection.h"

#include "petri_engine.h"

namespace petri {

static_assert(static_cast<int>(EngineStep::none) == PETRI_STEP_NONE &&
              static_cast<int>(EngineStep::prepare) == PETRI_STEP_PREPARE &&
              static_cast<int>(EngineStep::load) == PETRI_STEP_LOAD &&
              static_cast<int>(EngineStep::instantiate) == PETRI_STEP_INSTANTIATE &&
              static_cast<int>(EngineStep::call) == PETRI_STEP_CALL &&
              static_cast<int>(EngineStep::drop) == PETRI_STEP_DROP &&
              static_cast<int>(EngineStep::scan) == PETRI_STEP_SCAN);

void panic_at_next(EngineStep step) { petri_panic_at(static_cast<petri_step>(step)); }

}  // namespace petri
