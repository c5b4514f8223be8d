// The rows of the table of verbs that are about many sandboxes.
#include "cli/shell/verb_handlers.h"

namespace petri::cli {
namespace {

using enum ShellArgument;

constexpr VerbArgument kIds{.name = "IDS", .kind = word};
constexpr VerbOption kTimeMax{.name = "--timeout", .value = "TIME", .about = "When the batch is over"};
constexpr VerbOption kConcurrency{
    .name = "--concurrency", .value = "N", .about = "Rows at a time (default four for each worker)"};
constexpr VerbOption kBatchInput{.name = "--input", .value = "TEXT", .about = "Bytes the guests read with input_read"};

}  // namespace

std::vector<Verb> batch_verbs() {
  return {{.name = "create_all",
           .about = "Creates sandboxes of one module. IDS are separated by commas",
           .example = "create_all ada,bob,cleo worker.wat --label shop --generation 1",
           .arguments = {kIds, {.name = "FILE", .kind = file, .required = false}},
           .options = {{"--spec", "FILE", file, "All but the ids as JSON; other options override it"},
                       {"--profile", "NAME", profile, "strict, standard or trusted (default standard)"},
                       {"--limit", "NAME=VALUE", limit, "A limit in place of the profile's", true},
                       {"--seed", "N", word, "The seed of each (default 0)"},
                       {"--label", "TEXT", word, "A label to find them by", true},
                       {"--generation", "N", word, "Their generation"},
                       kTimeMax,
                       kConcurrency},
           .act = create_all},
          {.name = "destroy_all",
           .about = "Destroys sandboxes. IDS are separated by commas, or @LABEL",
           .example = "destroy_all @shop",
           .arguments = {kIds},
           .options = {kTimeMax, kConcurrency},
           .act = destroy_all},
          {.name = "call_all",
           .about = "Calls a function of the live process of each sandbox. IDS are separated by commas, or @LABEL",
           .example = "call_all @shop next",
           .arguments = {kIds, {.name = "FUNCTION"}, {.name = "NUMBER", .required = false, .repeats = true}},
           .options = {kBatchInput, kTimeMax, kConcurrency},
           .act = call_all},
          {.name = "run_all",
           .about = "Runs a function of a fresh instance in each sandbox. IDS are separated by commas, or @LABEL",
           .example = "run_all ada,bob mean 2 5 --timeout 1s",
           .arguments = {kIds, {.name = "FUNCTION"}, {.name = "NUMBER", .required = false, .repeats = true}},
           .options =
               {{"--module", "NAME", word, "The module, where there are several"}, kBatchInput, kTimeMax, kConcurrency},
           .act = run_all},
          {.name = "reload_all_of",
           .about = "Reloads a module of each sandbox. IDS are separated by commas, or @LABEL",
           .example = "reload_all_of @shop worker_v2.wat",
           .arguments = {kIds, {.name = "FILE", .kind = file}},
           .options = {{"--module", "NAME", word, "The module, where there are several"},
                       {"--state", "WAY", word, "How state crosses: best, described, hooks, memory or none"},
                       {"--drop", "", word, "State that has no place there may be lost"},
                       kTimeMax,
                       kConcurrency},
           .act = reload_all_of},
          {.name = "collect",
           .about = "Removes dead and abandoned sandboxes, old generations and what nobody uses",
           .example = "collect",
           .arguments = {},
           .options = {},
           .act = collect}};
}

}  // namespace petri::cli
