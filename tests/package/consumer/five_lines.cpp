#include <petri/run.h>

#include <cstdio>

int main() {
  const char* add = R"((module (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add)))";
  const auto artifact = petri::Artifact::from_wat(add, 1 << 20);
  const auto outcome = petri::run(artifact.value(), petri::HostFunctions(), {.function = "add", .arguments = {2, 3}});
  std::puts(petri::to_text(outcome.value().values.at(0)).c_str());
}
