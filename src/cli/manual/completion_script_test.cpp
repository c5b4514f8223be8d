#include "cli/manual/completion_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri::cli {
namespace {

using ::testing::HasSubstr;

// petri with one command that has an option of each kind.
std::vector<CommandDescription> small() {
  CommandDescription petri{.words = "petri", .about = "Runs."};
  petri.commands = {"run"};
  CommandDescription run{.words = "petri run", .about = "It's a run; and more"};
  run.arguments = {{.name = "FILE", .about = "A file", .value = {ValueKind::file, {}}, .required = true}};
  run.options = {
      {.names = {"-q", "--quiet"}, .placeholder = "", .about = "Be [very] quiet"},
      {.names = {"--tier"}, .placeholder = "TIER", .about = "A tier", .value = {ValueKind::word, {"one", "two"}}},
      {.names = {"--allow"}, .placeholder = "LIST", .about = "Some", .value = {ValueKind::word_list, {"a", "b"}}},
      {.names = {"--folder"}, .placeholder = "DIR", .about = "A folder", .value = {ValueKind::folder, {}}},
      {.names = {"--env"}, .placeholder = "NAME=VALUE", .about = "Its: own", .repeats = true}};
  return {petri, run};
}

TEST(BashCompletion, HasABranchForEachKindOfValue) {
  const std::string script = bash_completion(small());
  EXPECT_THAT(script, HasSubstr("      ' run') command="));
  EXPECT_THAT(script, HasSubstr("    'run --tier') _petri_words \"$word\" one two; return ;;\n"));
  EXPECT_THAT(script, HasSubstr("    'run --allow') _petri_list \"$word\" a b; return ;;\n"));
  EXPECT_THAT(script, HasSubstr("    'run --folder') _petri_folders \"$word\"; return ;;\n"));
  EXPECT_THAT(script, HasSubstr("    'run --env') :; return ;;\n"));
  EXPECT_THAT(script,
              HasSubstr("    'run -'*) _petri_words \"$word\" -q --quiet --tier --allow --folder --env; return ;;\n"));
  EXPECT_THAT(script, HasSubstr("    '') _petri_words \"$word\" run ;;\n    'run') _petri_files \"$word\" ;;\n"));
}

TEST(ZshCompletion, HasASpecificationForEachOption) {
  EXPECT_THAT(zsh_completion(small()), HasSubstr(R"(
_petri_run() {
  _arguments -S \
    '(-q --quiet)'{-q,--quiet}'[Be \[very\] quiet]' \
    '(--tier)'--tier='[A tier]:TIER:(one two)' \
    '(--allow)'--allow='[Some]:LIST:_sequence compadd - a b' \
    '(--folder)'--folder='[A folder]:DIR:_files -/' \
    '*'--env='[Its\: own]:NAME=VALUE: ' \
    '1:FILE:_files' \
    '*:argument:_files'
}
)"));
}

TEST(ZshCompletion, OffersTheCommandsOfACommand) {
  EXPECT_THAT(zsh_completion(small()), HasSubstr("        'run:It'\\''s a run'\n"));
  EXPECT_THAT(zsh_completion(small()), HasSubstr("        run) _petri_run ;;\n"));
}

TEST(FishCompletion, HasALineForEachWord) {
  EXPECT_THAT(fish_completion(small()), HasSubstr(R"(
complete -c petri -n "__petri_is ''" -a run -d 'It\'s a run'
complete -c petri -n "__petri_is 'run'" -F
complete -c petri -n "__petri_is 'run'" -s q -l quiet -d 'Be [very] quiet'
complete -c petri -n "__petri_is 'run'" -l tier -r -f -k -a 'one two' -d 'A tier'
complete -c petri -n "__petri_is 'run'" -l allow -r -f -a '(__fish_complete_list , "printf %s\\n a b")' -d 'Some'
complete -c petri -n "__petri_is 'run'" -l folder -r -f -a '(__fish_complete_directories)' -d 'A folder'
complete -c petri -n "__petri_is 'run'" -l env -r -f -d 'Its: own'
)"));
}

}  // namespace
}  // namespace petri::cli
