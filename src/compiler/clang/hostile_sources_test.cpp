// Sources that mean harm, by the real compiler in its jail.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "petri/compile.h"
#include "petri/host_functions.h"
#include "petri/run.h"

namespace petri {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

namespace fs = std::filesystem;

CompileOptions hostile_options() {
  CompileOptions options;
  options.cache = false;
  options.time_max = std::chrono::seconds(20);
  return options;
}

CompileReport hostile_report(std::string language, std::string text,
                             const CompileOptions& options = hostile_options()) {
  auto report = compile(Source::code(std::move(language), std::move(text)), options);
  EXPECT_TRUE(report) << report.error().message;
  return report ? *std::move(report) : CompileReport{};
}

// The error of a source that has to fail.
Error hostile_error(std::string text, const CompileOptions& options = hostile_options()) {
  CompileReport report = hostile_report("c", std::move(text), options);
  EXPECT_TRUE(report.error);
  return report.error.value_or(Error{});
}

// All processes below this one, as the kernel lists them now.
std::set<pid_t> descendants() {
  std::set<pid_t> found;
  std::set<pid_t> parents{::getpid()};
  for (std::size_t before = 0; before != parents.size();) {
    before = parents.size();
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream file(entry.path() / "stat");
      std::string text((std::istreambuf_iterator<char>(file)), {});
      const std::size_t end = text.rfind(") ");
      if (end == std::string::npos || text.size() < end + 4) continue;
      const pid_t parent = std::atoi(text.c_str() + end + 4);
      if (text[end + 2] == 'Z' || !parents.contains(parent)) continue;
      parents.insert(std::atoi(name.c_str()));
      found.insert(std::atoi(name.c_str()));
    }
  }
  return found;
}

std::size_t open_descriptors() {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), {}));
}

constexpr const char* kEndless =
    "template <int N> struct A { static constexpr long v = A<N - 1>::v + A<N - 2>::v + A<(N * 7) % 900>::v; };\n"
    "constexpr long f(long n) { long s = 0; for (long i = 0; i < n; ++i) s += i; return s; }\n"
    "extern \"C\" long g() { constexpr long x = f(1L << 40); return x; }\n";

// hostile I04
TEST(HostileSources, IncludeNoDeviceAndNoProcessInformation) {
  for (const char* const path : {"/dev/zero", "/dev/stdin", "/proc/self/environ", "/proc/self/fd/0"}) {
    const Error error = hostile_error("#include \"" + std::string(path) + "\"\nint f(void) { return 1; }\n");
    EXPECT_EQ(error.code, ErrorCode::compilation_failed) << path;
    EXPECT_THAT(error.message, HasSubstr("file not found")) << path;
  }
}

// hostile I05: a compiler without end is dead when the call returns, and so is all that it started. C06
TEST(HostileSources, LeaveNoProcessAndNoDescriptorWhenTheyTakeTooLong) {
  ASSERT_FALSE(hostile_report("cpp", "extern \"C\" int f() { return 1; }\n").error);  // the servers are there
  const std::set<pid_t> processes = descendants();
  const std::size_t descriptors = open_descriptors();
  CompileOptions options = hostile_options();
  options.time_max = std::chrono::milliseconds(500);
  options.flags = {"-std=c++20"};
  std::string endless = "#define A0 x,\n";
  for (int level = 1; level < 40; ++level) {
    const std::string below = " A" + std::to_string(level - 1);
    endless += "#define A" + std::to_string(level) + below + below + "\n";
  }
  const CompileReport report = hostile_report("cpp", endless + "A39\n", options);
  ASSERT_TRUE(report.error);
  EXPECT_THAT(report.error->detail("cause"), AnyOf("deadline", "memory_bytes_max"));
  EXPECT_EQ(descendants(), processes);
  EXPECT_EQ(open_descriptors(), descriptors);
}

// hostile I05
TEST(HostileSources, MeetTheLimitsOfConstantExpressions) {
  const CompileReport report = hostile_report("cpp", kEndless);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->code, ErrorCode::compilation_failed);
}

// hostile I06
TEST(HostileSources, MayNotBeAnArrayOfTwoGibibytes) {
  const Error error = hostile_error("char huge[1u << 31] = {1};\nint f(void) { return huge[5]; }\n");
  EXPECT_EQ(error.code, ErrorCode::compilation_failed);
  EXPECT_THAT(error.detail("cause"), AnyOf("artifact_bytes_max", "memory_bytes_max")) << error.message;
}

// hostile I08
TEST(HostileSources, HaveTheirMessagesCut) {
  std::string text;
  for (int number = 0; number < 3'000; ++number) text += "#warning " + std::string(60, 'x') + "\n";
  CompileOptions options = hostile_options();
  options.output_bytes_max = 10'000;
  const CompileReport report = hostile_report("c", text + "int f(void) { return 1; }\n", options);
  EXPECT_GT(report.diagnostics_cut, 100'000U);
  EXPECT_GT(report.warnings, 20U);
  EXPECT_LT(report.warnings, 200U);
}

// hostile I09
TEST(HostileSources, HaveErrorsInMacrosAtTheLinesThatUseThem) {
  const CompileReport report =
      hostile_report("c", "#define BAD(x) ((x) + nothing)\nint f(int a) {\n  return BAD(a);\n}\n");
  ASSERT_FALSE(report.diagnostics.empty());
  EXPECT_EQ(report.diagnostics[0].file, "source.c");
  EXPECT_EQ(report.diagnostics[0].line, 3U);
  for (const Diagnostic& one : report.diagnostics)
    EXPECT_THAT(one.file + one.message, testing::Not(HasSubstr("/work")));
}

// hostile I11
TEST(HostileSources, MayImportWhatTheyThenDoNotGet) {
  const CompileReport report = hostile_report(
      "c",
      "__attribute__((import_module(\"env\"), import_name(\"system\"))) int go(int);\nint f(void) { return go(1); }\n");
  ASSERT_FALSE(report.error);
  const auto outcome = run(report.modules.at(0).artifact, HostFunctions(), {.function = "f"});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::link_error);
}

// hostile I12
TEST(HostileSources, MayBeUnreadable) {
  for (const std::string& text :
       {std::string("int f(void) { return 1; /* no end\n"), std::string("int f(void) { return \"\xff\xfe\n"),
        std::string("\0\0\0int\0 f(", 10)}) {
    EXPECT_EQ(hostile_error(text).code, ErrorCode::compilation_failed);
  }
  EXPECT_EQ(hostile_error(" ").code, ErrorCode::parse_failed);
}

// C11: a compiler that crashes.
TEST(HostileSources, ThatCrashTheCompilerAreErrorsThatSaySo) {
  for (const char* const how : {"crash", "parser_crash", "llvm_fatal_error"}) {
    const Error error = hostile_error("#pragma clang __debug " + std::string(how) + "\nint f(void) { return 1; }\n");
    EXPECT_EQ(error.code, ErrorCode::compilation_failed) << how;
    EXPECT_EQ(error.detail("cause"), "crash") << error.message;
  }
  EXPECT_FALSE(hostile_report("c", "int f(void) { return 1; }\n").error);
}

// hostile D14, hostile D16: instructions that petri does not accept are refused in what a compiler made, too.
TEST(HostileSources, MayNotSmuggleRefusedInstructionsIn) {
  for (const auto& [text, word] :
       {std::pair{
            "__attribute__((target(\"atomics,bulk-memory\"))) int f(int* a) { return __atomic_fetch_add(a, 1, 5) + "
            "__builtin_wasm_memory_atomic_notify(a, 1); }\n",
            "threads"},
        std::pair{"#include <wasm_simd128.h>\n__attribute__((target(\"simd128\"))) void f(int* a) { v128_t v = "
                  "wasm_v128_load(a); wasm_v128_store(a, wasm_i32x4_mul(v, v)); }\n",
                  "SIMD"}}) {
    const Error error = hostile_error(text);
    EXPECT_EQ(error.code, ErrorCode::rejected) << error.message;
    EXPECT_THAT(error.message, HasSubstr(word));
  }
}

// hostile H03, hostile H04
TEST(HostileSources, MayBeNoFilesAtAll) {
  const std::string folder = testing::TempDir() + "petri_hostile_" + std::to_string(::getpid());
  fs::create_directory(folder);
  ASSERT_EQ(::mkfifo((folder + "/fifo.c").c_str(), 0600), 0);
  CompileOptions options = hostile_options();
  options.language = "c";
  for (const std::string& path : {folder + "/fifo.c", std::string("/dev/zero"), std::string("/proc/self/mem")}) {
    const auto report = compile(Source::file(path), options);
    EXPECT_TRUE(!report || report->error) << path;
  }
  options.source_bytes_max = 1'000;
  const auto large = compile(Source::file("/proc/kallsyms"), options);
  EXPECT_TRUE(!large || large->error);
  EXPECT_FALSE(compile(Source::folder(folder), options)) << "a FIFO is no source of a folder";
  fs::remove_all(folder);
}

}  // namespace
}  // namespace petri
