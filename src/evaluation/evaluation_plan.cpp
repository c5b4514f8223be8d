#include "evaluation/evaluation_plan.h"

#include "evaluation/candidate/score.h"
#include "evaluation/spec_digest.h"
#include "host/guest/guest.h"

namespace petri {

EvaluationPlan::EvaluationPlan(std::span<const Case> all_cases, const EvaluationSpec& a_spec,
                               const EvaluationOptions& some_options, const HostFunctions& functions)
    : cases(all_cases),
      spec(a_spec),
      options(some_options),
      host(functions),
      digest(spec_digest(cases, spec, host)),
      first_run{.function = spec.function, .arguments = cases.front().arguments},
      compares_answers(petri::compares_answers(spec)),
      fresh_each_case(spec.instances == Instances::per_case || spec.function == kCommandStart) {
  arguments.reserve(cases.size() * cases.front().arguments.size());
  for (const Case& one : cases) {
    for (const Value& value : one.arguments) arguments.push_back(value.bits());
  }
}

}  // namespace petri
