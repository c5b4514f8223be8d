// Programs that clang makes of ordinary C and C++ run in petri, in both tiers.
#include <gmock/gmock.h>

#include <cmath>

#include "base/files/file.h"
#include "host/files/temporary_folder.h"
#include "petri/scan.h"
#include "run/run_fixture.h"

namespace petri {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Programs : public RunFixture {
 public:
  static ArtifactPtr load(const std::string& name) {
    const auto bytes = read_file(std::string(PETRI_GUESTS_FOLDER) + "/" + name + ".wasm", 5 << 20);
    EXPECT_TRUE(bytes) << bytes.error().message;
    auto artifact = Artifact::from_wasm({reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size()}, 5 << 20);
    EXPECT_TRUE(artifact) << artifact.error().message;
    return *artifact;
  }
};

TEST_P(Programs, RunLikeProgramsInsideTheirFolder) {
  const TemporaryFolder folder;
  folder.write("given", "by the host\n");
  std::vector<std::string> lines;
  RunSpec run_spec = spec("_start");
  run_spec.permissions = run_spec.permissions.with(Permission::file_write);
  run_spec.folder = folder.path().string();
  run_spec.program_arguments = {"one", "two"};
  run_spec.environment = {{"NAME", "value"}};
  run_spec.input = "first\nsecond\n";
  run_spec.on_log = [&lines](LogLevel, std::string_view line) { lines.emplace_back(line); };
  const auto outcome = run(load("program"), host_, run_spec);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->kind, OutcomeKind::exited);
  EXPECT_EQ(outcome->exit_code, 7);
  EXPECT_EQ(outcome->output,
            "guest has 2 arguments, the last is two\n"
            "NAME is value\n"
            "read first\n"
            "read second\n"
            "given: by the host\n"
            "../../etc/passwd: Capabilities insufficient\n"
            "/etc/passwd: No such file or directory\n"
            "/made/note: number 42\n"
            "/ holds .\n"
            "/ holds ..\n"
            "/ holds given\n"
            "/ holds made\n"
            "moved: 10 bytes\n"
            "nothing is left\n"
            "time passes\n");
  EXPECT_THAT(lines, ElementsAre("a line for the log"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST_P(Programs, RunWithoutAFolderToo) {
  RunSpec run_spec = spec("_start");
  run_spec.permissions = run_spec.permissions.with(Permission::file_write);
  run_spec.deterministic = true;
  const auto outcome = run(load("program"), host_, run_spec);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->exit_code, 7);
  EXPECT_THAT(outcome->output, HasSubstr("NAME is not set\n"));
  EXPECT_THAT(outcome->output, HasSubstr("time stands still\n"));
}

TEST_P(Programs, AreRefusedWhatTheyMayNotImport) {
  const auto outcome = run(load("program"), host_, spec("_start"));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::link_error);
  EXPECT_EQ(outcome.error().detail("permission"), "file_write");
}

TEST_P(Programs, NeedNothingButOneHeader) {
  std::vector<std::string> lines;
  RunSpec run_spec = spec("area", {2.0});
  run_spec.on_log = [&lines](LogLevel, std::string_view line) { lines.emplace_back(line); };
  const auto outcome = run(load("area"), host_, run_spec);
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(outcome->values.size(), 1U);
  EXPECT_NEAR(outcome->values[0].f64(), 4 * std::acos(-1.0), 1e-12);
  EXPECT_EQ(outcome->output, "done");
  EXPECT_THAT(lines, ElementsAre("computing"));

  RunSpec echo = spec("echo");
  echo.input = "hello";
  const auto echoed = run(load("area"), host_, echo);
  ASSERT_TRUE(echoed) << echoed.error().message;
  EXPECT_THAT(echoed->values, ElementsAre(Value(5)));
  EXPECT_EQ(echoed->output, "hello");
}

TEST_P(Programs, MayBeReactorsInCpp) {
  RunSpec run_spec = spec("count");
  run_spec.input = "b a b  c b";
  const auto outcome = run(load("words"), host_, run_spec);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->kind, OutcomeKind::ok);
  EXPECT_THAT(outcome->values, ElementsAre(Value(3)));
  EXPECT_EQ(outcome->output, "a=1\nb=3\nc=1\n");
}

TEST_P(Programs, HaveLogRandomNumbersAndClockInCpp) {
  RunSpec run_spec = spec("world");
  run_spec.permissions = Permissions::standard();
  std::vector<std::string> lines;
  run_spec.on_log = [&lines](LogLevel, std::string_view line) { lines.emplace_back(line); };
  const auto outcome = run(load("talker"), host_, run_spec);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_THAT(outcome->values, ElementsAre(Value(0)));
  EXPECT_THAT(lines, ElementsAre("information", "warning", "error"));
}

TEST_P(Programs, ReadAndWriteFilesInCpp) {
  const TemporaryFolder folder;
  folder.write("given", "bytes\n");
  RunSpec run_spec = spec("twice");
  run_spec.permissions = Permissions::standard().with(Permission::file_write);
  run_spec.folder = folder.path().string();
  for (const auto& [file, answer] : {std::pair{"given", 6}, std::pair{"none", -1}}) {
    run_spec.input = file;
    const auto outcome = run(load("talker"), host_, run_spec);
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_THAT(outcome->values, ElementsAre(Value(answer)));
  }
  EXPECT_EQ(*read_file(run_spec.folder + "/copy", 100), "bytes\nbytes\n");
}

// Compilers make nothing of ordinary programs that the scan warns of.
TEST(ScannedPrograms, HaveNothingOfHighSeverity) {
  for (const std::string name : {"program", "area", "words"}) {
    const auto report = scan(*Programs::load(name));
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->count(Severity::high), 0U) << to_text(*worst(*report));
    EXPECT_TRUE(check_findings(*report, Severity::high));
    for (const Finding& finding : report->findings)
      EXPECT_NE(finding.kind, FindingKind::endless_loop) << to_text(finding);
  }
}

PETRI_RUN_IN_BOTH_TIERS(Programs);

}  // namespace
}  // namespace petri
