#include <petri/runtime.h>

#include <iostream>

// Calls a function of the sandbox and prints how the call ended, with the value that it returned.
void show(petri::Sandbox& sandbox, std::string_view function) {
  const auto outcome = sandbox.call(function);
  if (!outcome) return void(std::cout << function << ": " << outcome.error().message << '\n');
  std::cout << function << ": " << name_of(outcome->kind);
  for (const petri::Value value : outcome->values) std::cout << ' ' << to_text(value);
  std::cout << '\n';
}

int main() {
  auto runtime = petri::Runtime::create();
  if (!runtime) return 1;
  auto sandbox = (*runtime)->create_sandbox(
      {.id = "counter", .modules = {{"counter", petri::Source::file("examples/first_steps/counter.wat")}}});
  if (!sandbox) {
    std::cerr << sandbox.error().message << '\n';
    return 1;
  }
  show(*sandbox, "next");
  show(*sandbox, "next");
  show(*sandbox, "crash");  // the supervisor restarts the process with fresh state
  show(*sandbox, "next");

  // A hot reload: the state moves to the new code, and its field grows from i32 to i64.
  const auto report = sandbox->reload("counter", petri::Source::file("examples/first_steps/counter_by_tens.wat"));
  if (!report) {
    std::cerr << report.error().message << '\n';
    return 1;
  }
  std::cout << "reloaded: version " << report->from << " to " << report->to << '\n';
  show(*sandbox, "next");
  show(*sandbox, "crash");  // new code that crashes is rolled back, with the state from before the reload
  show(*sandbox, "next");
}
