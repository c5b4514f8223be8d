#include "developer/spec_page.h"

#include <fmt/format.h>

#include "developer/reference_pages.h"

namespace petri::developer {
namespace {

constexpr std::string_view kSize = "size";
constexpr std::string_view kTime = "duration";
constexpr std::string_view kCount = "integer";
constexpr std::string_view kText = "string";
constexpr std::string_view kFlag = "true or false";
constexpr std::string_view kTexts = "list of strings";
constexpr std::string_view kOneDay = "above 0, 24 h at most";

SpecObject sandbox_object() {
  return {
      "A sandbox",
      "The document of `SandboxSpec::from_json`, and what `petri shell` takes as `create --spec`. Only `id` and "
      "`modules` are needed; for what is left out the runtime's `defaults` hold, then the default below.",
      "{%}",
      false,
      {{"id", kText, "", "1 to 64 of a-z A-Z 0-9 . _ -, a letter or a digit first", R"("id": "orders")",
        "the name of the sandbox"},
       {"modules", "object of modules by name", "", "one at least", R"("modules": {"orders": {"file": "orders.wasm"}})",
        "the code"},
       {"tree", "supervisor", "a permanent child for each module that no other imports", "",
        R"("tree": {"strategy": "one_for_all", "children": []})", "the supervision tree"},
       {"profile", "`strict`, `standard`, `trusted`, or a profile", "`standard`", "", R"("profile": "strict")",
        "how much the sandbox is trusted"},
       {"limits", "object of limits by name", "the profile's", "[limits](limits.md#of-a-sandbox)",
        R"("limits": {"memory_bytes_max": "16MiB", "execution_time_max": "50ms", "processes_max": 10})",
        "limits in place of the profile's"},
       {"on_limit", "object of `refuse` or `kill` by limit", "`refuse`", "limits that refuse a guest something",
        R"("on_limit": {"memory_bytes_max": "kill"})", "what happens to a guest that meets the limit"},
       {"permissions", "list of permissions", "the profile's", "[permissions](permissions.md)",
        R"("permissions": ["log", "clock"])", "all that the guests may do"},
       {"imports", "import rules", "none", "", R"("imports": {"block": ["petri.spawn"]})",
        "import rules beside the profile's"},
       {"reject_findings", "`info`, `low`, `medium`, `high`", "the profile's", "", R"("reject_findings": "high")",
        "modules with findings of this severity or above are refused"},
       {"audit", "`none`, `basic`, `full`", "the profile's", "", R"("audit": "full")", "what the audit trail keeps"},
       {"bounds", "`candidate`, `program`", "the profile's", "[bounds](bounds.md)", R"("bounds": "program")",
        "how large its modules may be; for `program`, `module_bytes_max` is 64 MiB unless it is named"},
       {"breaker", "breaker", "the runtime's", "", R"("breaker": {"limits_max": 3})",
        "the answer to processes that meet limits again and again"},
       {"recovery", "recovery", "", "", R"("recovery": {"runtime": "retry"})",
        "the answer to supervision that has given up"},
       {"reload", "reload policy", "", "", R"("reload": {"state": "described"})", "the default for reloads"},
       {"folder", kText, "none", "a folder that exists", R"("folder": "data")", "the host folder of WASI files"},
       {"arguments", kTexts, "none", "", R"("arguments": ["--verbose"])", "argv of WASI programs after their name"},
       {"environment", "object of strings", "none", "", R"("environment": {"LANG": "C"})", "the environment of WASI"},
       {"labels", kTexts, "none", "each as an id", R"("labels": ["canary"])", "labels, for queries"},
       {"generation", kCount, "none", "", R"("generation": 3)", "a number of your own, for queries"},
       {"idle_keep", kTime, "without end", "above 0", R"("idle_keep": "1h")",
        "how long it may live without a handle, a call, a message or work of its own before a collection ends it"},
       {"dead_keep", kTime, "the runtime's", "", R"("dead_keep": "1min")",
        "how long it stays once it is stopped or failed, before a collection removes it"},
       {"parents", kTexts, "none", "at most 64, each once", R"("parents": ["adder-1"])",
        "ids of the sandboxes it descends from, which may be gone"},
       {"mutation", kText, "none", "at most 1,024 bytes", R"("mutation": "swap")", "what was done to the parents"},
       {"seed", kCount, "`0`", "", R"("seed": 7)", "the seed of the guests' random numbers"},
       {"deterministic", kFlag, "`false`", "", R"("deterministic": true)",
        "the same calls in the same order give the same results"},
       {"tier", "`interpreted`, `compiled`, `automatic`", "`automatic`", "", R"("tier": "compiled")",
        "the engine that runs the code"},
       {"auto_reload", kFlag, "`false`", "", R"("auto_reload": true)",
        "the files and folders that the modules were read from are watched"}}};
}

SpecObject module_object() {
  return {"A module",
          "A member of `modules`. It has one of `file`, `folder`, `wat` and `code`.",
          R"({"modules": {"m": {%}}})",
          false,
          {{"file", kText, "", "a file that exists", R"("file": "orders.wasm")",
            "a path: wasm, wat, or a source in a language of `petri compile`"},
           {"folder", kText, "", "a folder with one module", R"("folder": "orders")", "a path: a folder of sources"},
           {"wat", kText, "", "", R"json("wat": "(module)")json", "the text of the module"},
           {"code", kText, "", "", R"("language": "c", "code": "int f(void) { return 1; }")",
            "the text of the module in another language"},
           {"language", kText, "", "`wat`, `c`, `cpp`, `assemblyscript`, `rust`",
            R"("language": "c", "code": "int f(void) { return 1; }")", "the language of `code`"},
           {"needs", "object of version ranges by module", "any version", "",
            R"json("wat": "(module)", "needs": {"store": {"min": 2, "max": 3}})json",
            "versions of other modules that it needs"}}};
}

SpecObject needs_object() {
  return {"A range of versions",
          "A member of `needs`.",
          R"json({"modules": {"m": {"wat": "(module)", "needs": {"store": {%}}}}})json",
          false,
          {{"min", kCount, "`1`", "1 to `max`", R"("min": 2)", "the lowest version"},
           {"max", kCount, "no bound", "`min` or more", R"("max": 3)", "the highest version"}}};
}

SpecObject supervisor_object() {
  return {"A supervisor",
          "The value of `tree`, and each child that has `children`. At the root there is no `id`, `restart` and "
          "`shutdown`.",
          R"({"tree": {"children": [{%}]}})",
          false,
          {{"id", kText, "", "as an id", R"("id": "pool", "children": [])", "its name among its siblings"},
           {"restart", "`permanent`, `transient`, `temporary`", "`permanent`", "",
            R"("id": "pool", "restart": "temporary", "children": [])", "when it is started again"},
           {"shutdown", "`brutal`, a duration, `infinity`", "`infinity`", "24 h at most",
            R"("id": "pool", "shutdown": "10s", "children": [])", "the time it has to end"},
           {"strategy", "`one_for_one`, `one_for_all`, `rest_for_one`, `simple_one_for_one`", "`one_for_one`", "",
            R"("id": "pool", "strategy": "rest_for_one", "children": [])",
            "the children that are restarted with one that ends"},
           {"intensity", kCount, "`1`", "0 to 1,000,000", R"("id": "pool", "intensity": 3, "children": [])",
            "restarts allowed in `period`"},
           {"period", kTime, "`5s`", "whole seconds, 1 s to 366 days",
            R"("id": "pool", "period": "10s", "children": [])", "the time that `intensity` is for"},
           {"children", "list of children and supervisors", "", "1,000,000 at most, 16 levels",
            R"("id": "pool", "children": [])", "in start order"}}};
}

SpecObject child_object() {
  return {
      "A child",
      "A process: a member of `children` that has none of its own.",
      R"({"tree": {"children": [{%}]}})",
      false,
      {{"id", kText, "", "as an id", R"("id": "store", "module": "kv")", "its name among its siblings"},
       {"module", kText, "", "a module of the sandbox", R"("id": "store", "module": "kv")", "the code it runs"},
       {"restart", "`permanent`, `transient`, `temporary`", "`permanent`", "",
        R"("id": "store", "module": "kv", "restart": "transient")", "when it is started again"},
       {"shutdown", "`brutal`, a duration, `infinity`", "`5s`", "24 h at most",
        R"("id": "store", "module": "kv", "shutdown": "brutal")", "the time it has to end"},
       {"input", kText, "empty", "", R"("id": "store", "module": "kv", "input": "text")", "the input of petri_init"},
       {"input_hex", "hexadecimal digits", "empty", "not beside `input`",
        R"("id": "store", "module": "kv", "input_hex": "00ff")", "the same for bytes that are no text"}}};
}

SpecObject profile_object() {
  return {
      "A profile",
      "A profile of your own: a base, and where it differs from that.",
      R"({"profile": {%}})",
      false,
      {{"name", kText, "the base's", "", R"("name": "tenants")", "what `info` calls it"},
       {"base", "`strict`, `standard`, `trusted`", "", "", R"("base": "strict")", "the profile that it starts from"},
       {"limits", "object of limits by name", "the base's", "[limits](limits.md#of-a-sandbox)",
        R"("limits": {"cpu_percent_max": 25, "cpu_grace": "1s"})", "limits in place of the base's"},
       {"grant", "list of permissions", "none", "[permissions](permissions.md)", R"("grant": ["clock"])",
        "permissions beside the base's"},
       {"deny", "list of permissions", "none", "none that `grant` has", R"("deny": ["random"])",
        "permissions of the base that are taken away"},
       {"imports", "import rules", "none", "", R"("imports": {"allow": ["petri"]})", "what modules may import"},
       {"audit", "`none`, `basic`, `full`", "the base's", "", R"("audit": "full")", "what the audit trail keeps"},
       {"bounds", "`candidate`, `program`", "the base's", "[bounds](bounds.md)", R"("bounds": "program")",
        "how large modules may be"},
       {"reject_findings", "`info`, `low`, `medium`, `high`", "no scan", "", R"("reject_findings": "medium")",
        "modules with findings of this severity or above are refused"}}};
}

SpecObject imports_object() {
  return {"Import rules",
          "An entry is an import module (`\"math\"`) or one function of it (`\"petri.log\"`).",
          R"({"imports": {%}})",
          false,
          {{"allow", kTexts, "everything", "", R"("allow": ["petri", "math"])", "what may be imported"},
           {"block", kTexts, "nothing", "", R"("block": ["petri.spawn"])", "what may not, whatever `allow` says"}}};
}

SpecObject breaker_object() {
  return {"A breaker",
          "",
          R"({"breaker": {%}})",
          false,
          {{"limits_max", kCount, "`5`", "0 (off) to 10,000", R"("limits_max": 3)",
            "processes ended by limits within `window` that open it"},
           {"window", kTime, "`10s`", "above 0", R"("window": "30s")", "the time in which they count"},
           {"pause", kTime, "`1s`", "above 0", R"("pause": "500ms")", "the time that the sandbox is left alone"}}};
}

SpecObject recovery_object() {
  constexpr std::string_view kActions = "`keep`, `retry`, `rollback`, `restart`, `isolate`, `terminate`";
  return {
      "Recovery",
      "An action for each class of failure, and the bounds of these actions.",
      R"({"recovery": {%}})",
      false,
      {{"compilation", kActions, "`keep`", "", R"("compilation": "rollback")", "code could not be compiled or loaded"},
       {"runtime", kActions, "`rollback`", "", R"("runtime": "retry")", "a guest ended by itself"},
       {"resource", kActions, "`restart`", "", R"("resource": "restart")", "a guest was ended by a limit"},
       {"security", kActions, "`isolate`", "", R"("security": "terminate")", "code was refused"},
       {"system", kActions, "`retry`", "", R"("system": "retry")", "petri or the machine failed"},
       {"restarts_max", kCount, "`1`", "0 to 4,294,967,295", R"("restarts_max": 3)", "of `restart`"},
       {"retries_max", kCount, "`5`", "0 to 4,294,967,295", R"("retries_max": 10)", "of `retry`"},
       {"retry_pause", kTime, "`100ms`", kOneDay, R"("retry_pause": "1s")",
        "the pause before the first retry; it doubles"},
       {"retry_pause_max", kTime, "`30s`", kOneDay, R"("retry_pause_max": "1min")", "the longest pause"},
       {"rollback_within", kTime, "`60s`", kOneDay, R"("rollback_within": "5min")",
        "the age up to which a switch of code is rolled back"},
       {"stable_after", kTime, "`60s`", kOneDay, R"("stable_after": "10min")",
        "the time after which all counts start again from zero"}}};
}

SpecObject reload_object() {
  return {"A reload policy",
          "",
          R"({"reload": {%}})",
          false,
          {{"state", "`best`, `described`, `hooks`, `memory`, `none`", "`best`", "", R"("state": "described")",
            "the way in which state is carried"},
           {"drop", kFlag, "`false`", "", R"("drop": true)", "state without a place in the new version may be lost"},
           {"drop_exports", kFlag, "`false`", "", R"("drop_exports": true)",
            "functions of the running version may be missing"},
           {"rolling", kFlag, "`false`", "", R"("rolling": true)", "one process after another in place of all at once"},
           {"trial", "trial", "", "", R"("trial": {"calls": 10})", "the trial after a switch"},
           {"quiet_wait_max", kTime, "`5s`", "above 0, 1 h at most", R"("quiet_wait_max": "250ms")",
            "the time that processes have to quiesce"}}};
}

SpecObject trial_object() {
  return {"A trial",
          "",
          R"({"reload": {"trial": {%}}})",
          false,
          {{"calls", kCount, "`100`", "0 (no trial) to 4,294,967,295", R"("calls": 10)", "its calls"},
           {"time", kTime, "`1s`", "0 to 24 h", R"("time": "250ms")", "its time"}}};
}

SpecObject runtime_object() {
  return {
      "A runtime",
      "The document of `RuntimeOptions::from_json`, and what `petri shell` takes as `--options`. Everything may be "
      "left out.",
      "{%}",
      true,
      {{"workers", kCount, "one a core", "", R"("workers": 2)", "guests that run at a time"},
       {"threads_max", kCount, "`4096`", "", R"("threads_max": 100)", "threads that run guests or wait for them"},
       {"threads_reserve", kCount, "`64`", "", R"("threads_reserve": 8)",
        "those of them that are not for sandboxes that have one"},
       {"descriptors_max", kCount, "what the process may have", "", R"("descriptors_max": 500)",
        "files and folders that all sandboxes have open"},
       {"descriptors_reserve", kCount, "`128`", "", R"("descriptors_reserve": 64)", "those that no guest can take"},
       {"sampling_interval", kTime, "`1s`", "0: never", R"("sampling_interval": "250ms")", "between samples of usage"},
       {"samples_max", kCount, "`300`", "", R"("samples_max": 60)", "samples that are kept"},
       {"promote_fuel", kCount, "`500000`", "", R"("promote_fuel": 1000000)",
        "fuel that an artifact burns before it is compiled"},
       {"promote_fuel_per_byte", kCount, "`2000`", "", R"("promote_fuel_per_byte": 1000)",
        "more for each byte of code"},
       {"promote_instances", kCount, "`64`", "", R"("promote_instances": 16)", "or this many live instances"},
       {"promotion_time_max", kTime, "`10s`", "", R"("promotion_time_max": "2s")", "the time of one such compilation"},
       {"compile", "machine code options", "", "", R"("compile": {"time_max": "5s"})",
        "sandboxes that are compiled from the start"},
       {"defaults", "a sandbox without `id` and `modules`", "", "", R"("defaults": {"profile": "strict"})",
        "what sandboxes have by default"},
       {"limits", "object of limits by name", "none", "[limits](limits.md#of-a-sandbox)",
        R"("limits": {"memory_bytes_max": "16MiB"})", "more of `defaults.limits`"},
       {"audit", "audit options", "", "", R"("audit": {"file": "audit.jsonl"})", "the audit trail"},
       {"quarantine", "quarantine", "", "", R"("quarantine": {"limits_max": 3})", "the quarantine of artifacts"},
       {"breaker", "breaker", "", "", R"("breaker": {"limits_max": 3})", "`defaults.breaker`, unless that is set"},
       {"memory_budget_bytes", kSize, "`0`: no bound", "", R"("memory_budget_bytes": "2GiB")",
        "the memory of all sandboxes together"},
       {"gc_interval", kTime, "`60s`", "`0`: never by itself", R"("gc_interval": "10s")",
        "the time between collections"},
       {"gc_retain_generations", kCount, "`3`", "`0`: all", R"("gc_retain_generations": 10)",
        "how many of the newest generations of a label stay"},
       {"dead_keep", kTime, "`10min`", "", R"("dead_keep": "1min")",
        "how long a stopped or failed sandbox stays, unless its spec or `defaults` say so"}}};
}

SpecObject compile_object() {
  return {
      "Machine code options",
      "",
      R"({"compile": {%}})",
      true,
      {{"time_max", kTime, "`10s`", "", R"("time_max": "5s")", "the time of one compilation"},
       {"memory_bytes_max", kSize, "`1GiB`", "", R"("memory_bytes_max": "512MiB")", "the memory of the worker"},
       {"worker", kText, "beside the program", "", R"("worker": "/usr/bin/petri-compile-worker")", "its executable"},
       {"in_process", kFlag, "`false`", "", R"("in_process": true)", "no worker, and no bounds"},
       {"cache", kText, "none", "a folder that nobody else may write", R"("cache": "machine-code")",
        "where machine code of large modules is kept"}}};
}

SpecObject audit_object() {
  return {"Audit options",
          "",
          R"({"audit": {%}})",
          true,
          {{"entries_max", kCount, "`100000`", "", R"("entries_max": 1000)", "entries that memory keeps"},
           {"bytes_max", kSize, "`64MiB`", "128 KiB or more", R"("bytes_max": "1MiB")", "the bytes of these"},
           {"file", kText, "none", "", R"("file": "audit.jsonl")", "a file of all entries"}}};
}

SpecObject quarantine_object() {
  return {"Quarantine",
          "",
          R"({"quarantine": {%}})",
          true,
          {{"limits_max", kCount, "`5`", "0 (off) to 10,000", R"("limits_max": 3)",
            "limits that an artifact meets within `window` before it is refused"},
           {"window", kTime, "`60s`", "above 0", R"("window": "30s")", "the time in which they count"},
           {"period", kTime, "`10min`", "above 0", R"("period": "1h")", "the time for which it is refused"}}};
}

}  // namespace

const std::vector<SpecObject>& spec_objects() {
  static const std::vector<SpecObject> objects{
      sandbox_object(), module_object(),  needs_object(),   supervisor_object(), child_object(),
      profile_object(), imports_object(), breaker_object(), recovery_object(),   reload_object(),
      trial_object(),   runtime_object(), compile_object(), audit_object(),      quarantine_object()};
  return objects;
}

std::string spec_document(const SpecObject& object, std::string_view members) {
  std::string document(object.document);
  return document.replace(document.find('%'), 1, members);
}

std::string spec_page() {
  std::string text =
      "<!-- Made by tools/docs from the code. Edit the code, then run tools/docs. -->\n# Specs and options as JSON\n\n"
      "A *size* is a number of bytes or a string such as `\"16MiB\"` (B, KiB, MiB, GiB, TiB); a *duration* is a string "
      "such as `\"50ms\"`\n(ns, us, ms, s, min, h). A limit is a size, a duration or a number, as its unit is; as a "
      "number it is in bytes or nanoseconds.\nUnknown fields are errors that say where they stand, and one error "
      "lists all that is wrong. A test reads every example below, and\ncompares the fields with those that the reader "
      "knows.\n";
  for (const SpecObject& object : spec_objects()) {
    Rows rows;
    for (const SpecField& field : object.fields) {
      rows.push_back({fmt::format("`{}`", field.name), std::string(field.type), std::string(field.otherwise),
                      std::string(field.range), fmt::format("`{}`", field.example), std::string(field.meaning)});
    }
    text += fmt::format("\n## {}\n\n{}{}", object.title, object.about, object.about.empty() ? "" : "\n\n");
    text += markdown_table({"field", "type", "default", "range", "example", "meaning"}, rows);
  }
  return text;
}

}  // namespace petri::developer
