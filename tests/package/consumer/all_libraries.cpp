// A guest built by petri::wasm_builder, kept in a sandbox of petri::testing, with its events in a log of
// petri::logging; and a page of petri::report, which says that there are no records.
#include <petri/logging/event_logger.h>
#include <petri/logging/format.h>
#include <petri/report/report.h>
#include <petri/testing/testing.h>
#include <petri/wasm_builder/wasm_builder.h>
#include <spdlog/sinks/ostream_sink.h>

#include <iostream>
#include <sstream>

int main() {
  using petri::ValueType;
  petri::WasmBuilder builder;
  builder.function("twice", {.params = {ValueType::f64}, .results = {ValueType::f64}})
      .local_get(0)
      .local_get(0)
      .f64_add()
      .end();
  const auto wasm = builder.build();
  const auto runtime = petri::Runtime::create({.limits = {.execution_time_max = std::chrono::seconds(1)}});
  if (!wasm || !runtime) return 1;
  std::ostringstream log;
  auto logger = std::make_shared<spdlog::logger>("petri", std::make_shared<spdlog::sinks::ostream_sink_mt>(log));
  auto events = (*runtime)->subscribe();
  if (!events) return 1;
  auto listener = petri::log_events(std::move(*events), logger);
  auto sandbox = petri::testing::ScopedSandbox::create(
      **runtime, {.id = "doubler", .modules = {{"m", petri::Source::wasm(*wasm)}}});
  if (!listener || !sandbox) return 1;
  std::cout << (*sandbox)->call("twice", {21}).value() << '\n';
  const auto page = petri::write_report("no records", "page.html");
  if (!page) std::cout << fmt::format("{}\n", page.error());
  listener->finish();
  std::cout << (log.str().find("sandbox.created doubler") != std::string::npos ? "logged\n" : "not logged\n");
}
