// The table of verbs: a row each, in the order in which help lists them.
#include "cli/shell/verb_handlers.h"

namespace petri::cli {
namespace {

using enum ShellArgument;

constexpr VerbArgument kId{.name = "ID", .kind = sandbox};
constexpr VerbArgument kProcess{.name = "ID[/PROCESS]", .kind = process};
constexpr VerbOption kBackground{
    .name = "--background", .value = "", .about = "Do not wait: the answer is printed when it comes"};
constexpr VerbOption kInput{.name = "--input", .value = "TEXT", .about = "Bytes the guest reads with input_read"};
constexpr VerbOption kTier{
    .name = "--tier", .value = "TIER", .kind = tier, .about = "interpreted, compiled or automatic"};
constexpr VerbArgument kModule{.name = "ID[/MODULE]", .kind = module_address};
constexpr VerbArgument kFile{.name = "FILE", .kind = file};
constexpr VerbOption kNeeds{.name = "--needs",
                            .value = "MODULE=VERSION[..VERSION]",
                            .about = "Which versions of another module it can work with",
                            .repeats = true};
constexpr VerbOption kMetadata{
    .name = "--metadata", .value = "NAME=VALUE", .about = "What the version is to be remembered by", .repeats = true};
constexpr VerbOption kDrop{.name = "--drop", .value = "", .about = "State that has no place there may be lost"};
constexpr VerbOption kOffset{.name = "--offset", .value = "N", .about = "Leave out the first N"};
constexpr VerbOption kLimit{.name = "--limit", .value = "N", .about = "Show at most N (default 100)"};

Verb create_verb() {
  return {.name = "create",
          .about = "Creates a sandbox from a module and starts its processes",
          .example = "create orders orders.wat --limit memory=16MiB --label shop",
          .arguments = {{.name = "ID", .required = false}, {.name = "FILE", .kind = file, .required = false}},
          .options = {{"--wat", "TEXT", word, "The code itself, in place of a FILE"},
                      {"--module", "NAME=FILE", word, "One more module", true},
                      {"--spec", "FILE", file, "The whole spec as JSON; other options override it"},
                      {"--tree", "JSON", word,
                       "Its supervision tree; without one each module that no other imports has a child of its name"},
                      {"--profile", "NAME", profile, "strict, standard or trusted (default standard)"},
                      {"--limit", "NAME=VALUE", limit, "A limit in place of the profile's", true},
                      {"--kill", "LIMIT", word, "A limit that ends the guest where it would refuse", true},
                      {"--allow", "LIST", permission_list, "Permissions, separated by commas, or none"},
                      {"--allow-import", "NAME", word, "An import module or function; then no others", true},
                      {"--block-import", "NAME", word, "An import module or function that is refused", true},
                      {"--audit", "LEVEL", audit_level, "none, basic or full"},
                      kTier,
                      {"--seed", "N", word, "The seed of random numbers (default 0)"},
                      {"--deterministic", "", word, "The same calls in the same order give the same results"},
                      {"--folder", "DIR", file, "The one folder whose files WASI shows"},
                      {"--env", "NAME=VALUE", word, "An environment variable for WASI", true},
                      {"--argument", "TEXT", word, "An argument for WASI", true},
                      {"--label", "TEXT", word, "A label to find it by", true},
                      {"--generation", "N", word, "Its generation"},
                      {"--parent", "ID", sandbox, "A sandbox that it descends from", true},
                      {"--mutation", "TEXT", word, "What was done to its parents"},
                      {"--auto-reload", "", word, "Reload a module when the file or folder it was read from is saved"}},
          .act = create_sandbox};
}

std::vector<Verb> running_verbs() {
  return {{.name = "call",
           .about = "Calls a function of a live process; without FUNCTION its petri_handle",
           .example = "call orders add 2 3",
           .arguments = {kProcess,
                         {.name = "FUNCTION", .kind = function, .required = false},
                         {.name = "NUMBER", .required = false, .repeats = true}},
           .options = {kInput, {"--timeout", "TIME", word, "How long to wait; the guest may continue"}, kBackground},
           .act = call_process},
          {.name = "send",
           .about = "Sends a message to petri_handle of a live process, and does not wait",
           .example = R"(send orders/worker "ship 7\n")",
           .arguments = {kProcess, {.name = "TEXT"}},
           .options = {},
           .act = send_message},
          {.name = "run",
           .about = "Runs a function in a fresh instance, beside the processes",
           .example = "run orders add 2 3 --fuel 1000",
           .arguments = {{.name = "ID[/MODULE]", .kind = module_address},
                         {.name = "FUNCTION", .kind = function},
                         {.name = "NUMBER", .required = false, .repeats = true}},
           .options = {{"--file", "FILE", file, "Code from a file instead of a module"},
                       kInput,
                       {"--timeout", "TIME", word, "Ends the guest"},
                       {"--fuel", "N", word, "Ends the guest"},
                       kTier,
                       kBackground},
           .act = run_function},
          {.name = "cancel",
           .about = "Ends a call or run that is under way in the background",
           .example = "cancel 1",
           .arguments = {{.name = "NUMBER", .kind = background_call}},
           .options = {},
           .act = cancel_call},
          {.name = "wait",
           .about = "Waits for a call or run in the background, or for all of them",
           .example = "wait 1 --timeout 5s",
           .arguments = {{.name = "NUMBER", .kind = background_call, .required = false}},
           .options = {{"--timeout", "TIME", word, "How long"}},
           .act = wait_for_calls}};
}

std::vector<Verb> looking_verbs() {
  return {{.name = "info",
           .about = "Shows all about a sandbox, or without ID about the runtime",
           .example = "info orders",
           .arguments = {{.name = "ID", .kind = sandbox, .required = false}},
           .options = {},
           .act = show_info},
          {.name = "list",
           .about = "Lists the sandboxes, oldest first",
           .example = "list --limit 10",
           .arguments = {},
           .options = {kOffset, kLimit},
           .act = list_sandboxes},
          {.name = "find",
           .about = "Lists the sandboxes that match",
           .example = "find --label shop --status running",
           .arguments = {},
           .options = {{"--label", "TEXT", word, "With this label"},
                       {"--status", "STATUS", status, "In this state"},
                       {"--generation", "N", word, "Of this generation"},
                       kOffset,
                       kLimit},
           .act = find_sandboxes},
          {.name = "usage",
           .about = "Shows what a sandbox uses, over its whole tree",
           .example = "usage orders --history",
           .arguments = {kId},
           .options = {{"--history", "", word, "Also the samples of the last minutes"}},
           .act = show_usage},
          {.name = "events",
           .about = "Prints events as they happen: on, off, or wait for one",
           .example = "events on orders --kind process.exited",
           .arguments = {{.name = "ACTION", .kind = events_action, .required = false},
                         {.name = "ID|EVENT", .kind = events_subject, .required = false}},
           .options = {{"--kind", "EVENT", event_kind, "Only these; without it all but usage.sampled", true},
                       {"--queue", "N", word, "How many may wait to be printed before they are lost (default 1024)"},
                       {"--timeout", "TIME", word, "How long to wait for one (default 10s)"}},
           .act = show_events},
          {.name = "metrics",
           .about = "Counts and sums of the whole runtime, in the text format of Prometheus",
           .example = "metrics",
           .arguments = {},
           .options = {},
           .act = show_metrics}};
}

std::vector<Verb> tree_verbs() {
  return {{.name = "children",
           .about = "Lists the processes and supervisors of a sandbox",
           .example = "children orders",
           .arguments = {kId},
           .options = {},
           .act = show_children},
          {.name = "start_child",
           .about = "Adds a process to a supervisor of the tree",
           .example = "start_child orders clerk orders --restart transient",
           .arguments = {{.name = "ID[/SUPERVISOR]", .kind = process},
                         {.name = "CHILD"},
                         {.name = "MODULE", .kind = module}},
           .options = {{"--restart", "TYPE", restart_type, "permanent, transient or temporary"},
                       {"--shutdown", "TIME", word, "What it has to end in order: 5s, brutal, infinity"},
                       {"--input", "TEXT", word, "Bytes handed to petri_init"}},
           .act = start_child},
          {.name = "start_instance",
           .about = "Adds a process to a simple_one_for_one supervisor, after its template",
           .example = "start_instance orders/pool clerk --input night",
           .arguments = {{.name = "ID[/SUPERVISOR]", .kind = process}, {.name = "CHILD", .required = false}},
           .options = {{"--input", "TEXT", word, "Bytes handed to petri_init (default: the template's)"}},
           .act = start_instance},
          {.name = "stop_child",
           .about = "Stops a process or supervisor; it keeps its place unless it is temporary or follows a template",
           .example = "stop_child orders/clerk",
           .arguments = {{.name = "ID/CHILD", .kind = process}},
           .options = {},
           .act = stop_child},
          {.name = "restart_child",
           .about = "Starts a child that was stopped or has ended",
           .example = "restart_child orders/clerk",
           .arguments = {{.name = "ID/CHILD", .kind = process}},
           .options = {},
           .act = restart_child},
          {.name = "remove_child",
           .about = "Removes a stopped child from the tree",
           .example = "remove_child orders/clerk",
           .arguments = {{.name = "ID/CHILD", .kind = process}},
           .options = {},
           .act = remove_child},
          {.name = "tree",
           .about = "Shows the supervision tree, or changes it; unchanged children live on",
           .example = R"(tree orders '{"children": [{"id": "clerk", "module": "orders"}]}')",
           .arguments = {kId, {.name = "JSON", .required = false}},
           .options = {},
           .act = show_or_change_tree}};
}

// Options of everything that continues with other code; the same ones make a policy.
std::vector<VerbOption> switch_options(std::vector<VerbOption> options) {
  const std::vector<VerbOption> policy{
      {"--state", "WAY", state_way, "How state crosses: best, described, hooks, memory or none (default best)"},
      kDrop,
      {"--rolling", "", word, "One process after another in place of all at once"},
      {"--wait", "TIME", word, "How long processes may take to quiesce (default 5s)"}};
  options.insert(options.end(), policy.begin(), policy.end());
  return options;
}

std::vector<VerbOption> reload_options() {
  return switch_options(
      {{"--rename", "OLD=NEW", word, "A field that continues under another name", true},
       {"--drop-exports", "", word, "Functions that callers could call may be missing"},
       {"--trial-calls", "N", word, "A crash within so many calls rolls back; 0: never (default 100)"},
       {"--trial-time", "TIME", word, "And within so much time (default 1s)"}});
}

std::vector<VerbOption> new_version_options() {
  std::vector<VerbOption> options = reload_options();
  options.push_back(kMetadata);
  options.push_back(kNeeds);
  return options;
}

std::vector<Verb> changing_verbs() {
  return {{.name = "reload",
           .about = "Hot reload: gives the processes of a module new code, and they keep their state",
           .example = "reload orders orders_v2.wat --rename hits=count",
           .arguments = {kModule, kFile},
           .options = new_version_options(),
           .act = reload_module},
          {.name = "plan",
           .about = "Shows what reload would do, field by field, without doing it",
           .example = "plan orders orders_v2.wat --drop",
           .arguments = {kModule, kFile},
           .options = reload_options(),
           .act = plan_reload},
          {.name = "rollback",
           .about = "Rolls back to a version that is kept; without NUMBER to the one that was active before",
           .example = "rollback orders 1 --drop",
           .arguments = {kModule, {.name = "NUMBER", .kind = version, .required = false}},
           .options = switch_options({{"--snapshot", "", word, "With the state it had at the switch"}}),
           .act = rollback_module},
          {.name = "load",
           .about = "Adds a module under a new name; start_child starts processes of it",
           .example = "load orders/tax tax.wat",
           .arguments = {{.name = "ID/MODULE", .kind = sandbox}, kFile},
           .options = {kMetadata, kNeeds},
           .act = load_module},
          {.name = "stage",
           .about = "Adds a version, checked and loaded; what runs is not touched",
           .example = "stage orders orders_v3.wat --metadata ticket=42",
           .arguments = {kModule, kFile},
           .options = {kMetadata, kNeeds},
           .act = stage_version},
          {.name = "activate",
           .about = "Activates a version that is kept, as reload does",
           .example = "activate orders 3",
           .arguments = {kModule, {.name = "NUMBER", .kind = version}},
           .options = reload_options(),
           .act = activate_version},
          {.name = "modules",
           .about = "Lists the modules of a sandbox in the order of reloading, and whose functions each imports",
           .example = "modules orders",
           .arguments = {kId},
           .options = {},
           .act = show_modules},
          {.name = "versions",
           .about = "Lists the versions of a module that are kept, newest first",
           .example = "versions orders",
           .arguments = {kModule},
           .options = {},
           .act = show_versions},
          {.name = "history",
           .about = "Lists the switches of a module, oldest first",
           .example = "history orders",
           .arguments = {kModule},
           .options = {},
           .act = show_history},
          {.name = "state",
           .about = "Shows the state of a process by the names of its fields, or writes some of them",
           .example = "state orders/clerk count=7 label=new",
           .arguments = {kProcess, {.name = "FIELD=VALUE", .required = false, .repeats = true}},
           .options = {},
           .act = show_or_write_state}};
}

std::vector<Verb> watch_verbs() {
  const VerbOption pattern{"--pattern", "GLOB", word,
                           "The files of a folder that count: *.c, src/**/*.h (default: all sources)", true};
  const VerbOption debounce{"--debounce", "TIME", word, "Without a change before it is compiled (default 100ms)"};
  return {{.name = "watch",
           .about = "Reloads modules when the sources in a folder, or these files, are saved",
           .example = "watch orders src --pattern *.c",
           .arguments = {kId, {.name = "FOLDER|FILE", .kind = file, .repeats = true}},
           .options = {pattern, debounce},
           .act = watch_sources},
          {.name = "unwatch",
           .about = "Ends a watch, or without PATH all watches of a sandbox",
           .example = "unwatch orders src",
           .arguments = {kId, {.name = "PATH", .kind = file, .required = false}},
           .options = {},
           .act = unwatch_sources},
          {.name = "auto_reload",
           .about = "Watches the files and folders that the modules of a sandbox were read from: on or off",
           .example = "auto_reload orders on",
           .arguments = {kId, {.name = "ACTION"}},
           .options = {debounce},
           .act = switch_auto_reload}};
}

std::vector<Verb> snapshot_verbs() {
  const VerbOption no_timers{"--no-timers", "", word, "Without its pending timers"};
  return {{.name = "snapshot",
           .about = "Writes a sandbox as it stands to a file",
           .example = "snapshot orders orders.snapshot",
           .arguments = {kId, kFile},
           .options = {},
           .act = take_snapshot},
          {.name = "restore",
           .about = "Restores a sandbox from a snapshot; creates it if there is none of this id",
           .example = "restore orders orders.snapshot",
           .arguments = {kId, kFile},
           .options = {no_timers},
           .act = restore_snapshot},
          {.name = "fork",
           .about = "Forks a live sandbox into others, with the state of its processes",
           .example = "fork orders left right",
           .arguments = {kId, {.name = "TWIN", .repeats = true}},
           .options = {{"--share-random", "", word, "They draw the same numbers"},
                       no_timers,
                       {"--label", "TEXT", word, "A label beside those of the original", true},
                       {"--generation", "N", word, "Their generation in place of the original's"},
                       {"--mutation", "TEXT", word, "What is going to be done to them"}},
           .act = fork_sandbox}};
}

std::vector<Verb> population_verbs() {
  return {{.name = "fitness",
           .about = "Records how fit a sandbox is, in place of what was recorded before",
           .example = "fitness orders 0.75 --component error=0.2",
           .arguments = {kId, {.name = "SCORE"}},
           .options = {{"--component", "NAME=NUMBER", word, "A part of the score", true}},
           .act = record_fitness},
          {.name = "population",
           .about = "Lists the sandboxes with descent and fitness, oldest first or the best first",
           .example = "population --generation 2 --top 3",
           .arguments = {},
           .options = {{"--label", "TEXT", word, "With this label"},
                       {"--generation", "N", word, "Of this generation"},
                       {"--kept", "", word, "Those that are kept"},
                       {"--top", "N", word, "The N best, by rank"},
                       kOffset,
                       kLimit,
                       {"--dot", "", word, "As a graph for Graphviz"},
                       {"--export", "FILE", file, "All of them to a file of JSON Lines"}},
           .act = show_population},
          {.name = "lineage",
           .about = "Lists a sandbox and those it descends from, nearest first",
           .example = "lineage orders",
           .arguments = {kId},
           .options = {{"--descendants", "", word, "Those that descend from it instead"}},
           .act = show_lineage},
          {.name = "ancestor",
           .about = "Shows the nearest common ancestor of two sandboxes",
           .example = "ancestor left right",
           .arguments = {{.name = "ID", .kind = sandbox}, {.name = "OTHER", .kind = sandbox}},
           .options = {},
           .act = show_common_ancestor},
          {.name = "keep",
           .about = "Protects sandboxes from collection",
           .example = "keep orders left",
           .arguments = {{.name = "ID", .kind = sandbox, .repeats = true}},
           .options = {},
           .act = keep_sandboxes},
          {.name = "release",
           .about = "Ends the protection from collection",
           .example = "release orders",
           .arguments = {{.name = "ID", .kind = sandbox, .repeats = true}},
           .options = {},
           .act = release_sandboxes}};
}

std::vector<Verb> policy_verbs() {
  return {{.name = "limits",
           .about = "Shows the limits of a sandbox, or changes some of them",
           .example = "limits orders fuel=100000 message_queue_max=50",
           .arguments = {kId, {.name = "NAME=VALUE", .kind = limit, .required = false, .repeats = true}},
           .options = {},
           .act = show_or_change_limits},
          {.name = "permissions",
           .about = "Shows what a sandbox may ask of the host, or changes it",
           .example = "permissions orders -clock +log",
           .arguments = {kId, {.name = "CHANGE", .kind = permission_change, .required = false, .repeats = true}},
           .options = {},
           .act = show_or_change_permissions},
          {.name = "quarantine",
           .about = "Lists the code that is refused because it met limits again and again, or lifts that",
           .example = "quarantine lift 27e343a8708e",
           .arguments = {{.name = "ACTION", .kind = quarantine_action, .required = false},
                         {.name = "ARTIFACT", .required = false}},
           .options = {},
           .act = show_or_lift_quarantine},
          {.name = "audit",
           .about = "Shows what was refused, ended and changed, also of sandboxes that are gone",
           .example = "audit orders --kind permission_denied",
           .arguments = {{.name = "ID", .kind = sandbox, .required = false}},
           .options = {{"--kind", "KIND", audit_kind, "Only entries of this kind"},
                       {"--cause", "WORD", word, "Only with this cause"},
                       {"--after", "N", word, "Only entries with a higher number"},
                       kLimit},
           .act = show_audit}};
}

std::vector<Verb> ending_verbs() {
  return {
      {.name = "label",
       .about = "Gives a sandbox a label",
       .example = "label orders shop",
       .arguments = {kId, {.name = "TEXT"}},
       .options = {},
       .act = label_sandbox},
      {.name = "unlabel",
       .about = "Takes a label away",
       .example = "unlabel orders shop",
       .arguments = {kId, {.name = "TEXT"}},
       .options = {},
       .act = unlabel_sandbox},
      {.name = "stop",
       .about = "Stops the processes in order; the record stays",
       .example = "stop orders",
       .arguments = {kId},
       .options = {},
       .act = stop_sandbox},
      {.name = "restart",
       .about = "Stops all processes and starts them again, with fresh state unless it is kept",
       .example = "restart orders --keep-state",
       .arguments = {kId},
       .options = {{"--keep-state", "", word, "Keep the state of its processes, and the messages that wait for them"}},
       .act = restart_sandbox},
      {.name = "destroy",
       .about = "Stops a sandbox and leaves nothing of it but its audit entries",
       .example = "destroy orders",
       .arguments = {kId},
       .options = {},
       .act = destroy_sandbox},
      {.name = "help",
       .about = "Lists the verbs, or explains one",
       .example = "help create",
       .arguments = {{.name = "VERB", .kind = ShellArgument::verb, .required = false}},
       .options = {},
       .act = show_help},
      {.name = "quit",
       .about = "Destroys every sandbox and ends the shell, as exit and Ctrl-D do",
       .example = "quit",
       .arguments = {},
       .options = {},
       .act = quit}};
}

std::vector<Verb> make_verbs() {
  std::vector<Verb> verbs{create_verb()};
  for (auto&& family : {running_verbs(), changing_verbs(), watch_verbs(), snapshot_verbs(), batch_verbs(),
                        looking_verbs(), population_verbs(), tree_verbs(), policy_verbs(), ending_verbs()}) {
    verbs.insert(verbs.end(), family.begin(), family.end());
  }
  return verbs;
}

}  // namespace

const std::vector<Verb>& shell_verbs() {
  static const std::vector<Verb> verbs = make_verbs();
  return verbs;
}

}  // namespace petri::cli
