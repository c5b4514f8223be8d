// C and C++ by the real compiler in its jail.
#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/files/test_file.h"
#include "compiling/live_workers.h"
#include "petri/compile.h"
#include "petri/host_functions.h"
#include "petri/run.h"

namespace petri {
namespace {

using testing::HasSubstr;

constexpr const char* kWave = R"(#include <math.h>
#include <string.h>
double wave(double x) { return sin(x) + (double)strlen("abc"); }
static int hidden(void) { return 1; }
int shown(void) { return hidden(); }
)";

// Each test has a cache of its own, or none.
CompileOptions without_cache() {
  CompileOptions options;
  options.cache = false;
  return options;
}

class TestFolder {
 public:
  TestFolder() : path_(testing::TempDir() + "petri_compile_XXXXXX") { EXPECT_NE(::mkdtemp(path_.data()), nullptr); }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  const std::string& path() const { return path_; }
  void write(const std::string& name, std::string_view text) const {
    std::filesystem::create_directories(std::filesystem::path(path_ + "/" + name).parent_path());
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
  }

 private:
  std::string path_;
};

CompileOptions cached_in(const TestFolder& cache) { return {.cache_folder = cache.path()}; }

CompileReport compiled(const Source& source, const CompileOptions& options = without_cache()) {
  auto report = compile(source, options);
  EXPECT_TRUE(report) << report.error().message;
  if (!report) return {};
  EXPECT_FALSE(report->error) << report->error->message;
  return *std::move(report);
}

Error failure_of(const Source& source, const CompileOptions& options = without_cache()) {
  auto report = compile(source, options);
  if (!report) return report.error();
  EXPECT_TRUE(report->error);
  return report->error.value_or(Error{});
}

// C01
TEST(CompileC, UsesTheMathematicsAndStringsOfTheRealLibrary) {
  const CompileReport report = compiled(Source::code("c", kWave));
  ASSERT_EQ(report.modules.size(), 1U);
  const ArtifactPtr artifact = report.modules[0].artifact;
  const auto outcome = run(artifact, HostFunctions(), {.function = "wave", .arguments = {0.0}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->values.at(0).f64(), 3.0);
  EXPECT_NE(artifact->find_export("shown"), nullptr);
  EXPECT_EQ(artifact->find_export("hidden"), nullptr);
}

// C01
TEST(CompileCpp, UsesVectorsAndAlgorithms) {
  const CompileReport report = compiled(Source::code("cpp", R"(#include <algorithm>
#include <vector>
extern "C" int best(int n) {
  std::vector<int> all;
  for (int i = 0; i < n; ++i) all.push_back((i * 7919) % 101);
  std::sort(all.begin(), all.end());
  return all.back();
}
)"));
  ASSERT_EQ(report.modules.size(), 1U);
  const auto outcome = run(report.modules[0].artifact, HostFunctions(), {.function = "best", .arguments = {50}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->values.at(0).i32(), 100);
}

TEST(CompileC, ATrapNamesTheLineOfTheSource) {
  const CompileReport report = compiled(Source::code("c", R"(static volatile int zero;
__attribute__((noinline)) static int divide(int a) {
  return a / zero;
}

int quotient(int a) {
  return divide(a) + 1;
}
)"));
  ASSERT_EQ(report.modules.size(), 1U);
  const auto outcome = run(report.modules[0].artifact, HostFunctions(), {.function = "quotient", .arguments = {7}});
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(outcome->trap, TrapCode::integer_divide_by_zero);
  ASSERT_GE(outcome->backtrace.size(), 2U);
  EXPECT_EQ(outcome->backtrace[0].file, "source.c");
  EXPECT_EQ(outcome->backtrace[0].line, 3U);
  EXPECT_EQ(outcome->backtrace[1].line, 7U);
}

// C04
TEST(CompileC, ReportsWhereAFunctionIsUndeclared) {
  auto report = compile(Source::code("c", "int f(void) {\n  return g();\n}\n"), without_cache());
  ASSERT_TRUE(report);
  ASSERT_TRUE(report->error);
  EXPECT_EQ(report->error->code, ErrorCode::compilation_failed);
  ASSERT_GE(report->diagnostics.size(), 1U);
  EXPECT_EQ(report->diagnostics[0].file, "source.c");
  EXPECT_EQ(report->diagnostics[0].line, 2U);
  EXPECT_EQ(report->diagnostics[0].column, 10U);
  EXPECT_EQ(report->diagnostics[0].kind, DiagnosticKind::compile);
  EXPECT_THAT(report->diagnostics[0].message, HasSubstr("undeclared function 'g'"));
}

// C08, hostile I01, hostile I02, hostile I03
TEST(CompileC, SeesNoFileOfTheHost) {
  for (const char* const text :
       {"#include \"/etc/passwd\"\n", "#include \"../../../../etc/passwd\"\n",
        "__asm__(\".incbin \\\"/etc/passwd\\\"\");\nint f(void) { return 1; }\n",
        "const char x[] = {\n#embed \"/etc/passwd\"\n};\nint f(void) { return x[0]; }\n",
        "#if __has_include(\"/etc/passwd\")\nint f(void) { return 1; }\n#else\n#error nothing there\n#endif\n",
        "#if __has_include(\"/proc/self/maps\") || __has_include(\"/home\")\nint f(void) { return 1; }\n#else\n#error "
        "nothing "
        "there\n#endif\n"}) {
    auto report = compile(Source::code("c", text), without_cache());
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_TRUE(report->error) << text;
    for (const Diagnostic& diagnostic : report->diagnostics) {
      EXPECT_THAT(diagnostic.message, testing::Not(HasSubstr("root:"))) << text;
      EXPECT_THAT(diagnostic.file + diagnostic.message, testing::Not(HasSubstr("/usr/"))) << text;
    }
  }
}

// C06
TEST(CompileCpp, IsEndedByItsTimeLimit) {
  const Error error = failure_of(Source::code("cpp", R"(
template <int N, int M> struct Slow { static constexpr long value = Slow<N - 1, M>::value + Slow<N - 1, M + (1 << (N % 20))>::value; };
template <int M> struct Slow<0, M> { static constexpr long value = M; };
extern "C" long f(void) { return Slow<28, 0>::value; }
)"),
                                 {.time_max = std::chrono::milliseconds(700), .cache = false});
  EXPECT_EQ(error.code, ErrorCode::compilation_failed);
  EXPECT_EQ(error.detail("cause"), "deadline");
}

// C07
TEST(CompileC, IsEndedByItsMemoryAndSizeLimits) {
  std::string bomb = "#define A0 1,\n";
  for (int level = 1; level < 14; ++level) {
    const std::string below = " A" + std::to_string(level - 1);
    bomb += "#define A" + std::to_string(level) + below + below + below + below + "\n";
  }
  bomb += "int all[] = { A13 };\n";
  const Error memory =
      failure_of(Source::code("c", bomb), {.memory_bytes_max = std::uint64_t{192} << 20, .cache = false});
  EXPECT_EQ(memory.code, ErrorCode::compilation_failed);
  EXPECT_EQ(memory.detail("cause"), "memory_bytes_max") << memory.message;
  const Error size = failure_of(Source::code("c", "char huge[1u << 27] = {1};\nint f(void) { return huge[5]; }\n"));
  EXPECT_EQ(size.code, ErrorCode::compilation_failed);
  EXPECT_EQ(size.detail("cause"), "artifact_bytes_max") << size.message;
  compiled(Source::code("c", kWave));
}

// C12 C16
TEST(CompileCache, AnswersWithoutACompilerUntilABitIsFlipped) {
  const TestFolder cache;
  const CompileReport first = compiled(Source::code("c", kWave), cached_in(cache));
  const CompileReport second = compiled(Source::code("c", kWave), cached_in(cache));
  EXPECT_FALSE(first.cache_hit);
  EXPECT_TRUE(second.cache_hit);
  EXPECT_EQ(second.strategy, CompileStrategy::cache);
  EXPECT_EQ(second.files_compiled, 0U);
  EXPECT_EQ(second.modules.at(0).artifact->id(), first.modules.at(0).artifact->id());
  CompileOptions smaller = cached_in(cache);
  smaller.optimise = "s";
  EXPECT_FALSE(compiled(Source::code("c", kWave), smaller).cache_hit);

  for (const auto& entry : std::filesystem::recursive_directory_iterator(cache.path())) {
    if (!entry.is_regular_file()) continue;
    std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(entry.file_size() - 1));
    file.put('\x55');
  }
  const CompileReport third = compiled(Source::code("c", kWave), cached_in(cache));
  EXPECT_FALSE(third.cache_hit);
  EXPECT_EQ(third.modules.at(0).artifact->id(), first.modules.at(0).artifact->id());
}

// C15 C13 C28
TEST(CompileFolder, CompilesAgainOnlyWhatIncludesAnEditedHeader) {
  const TestFolder cache;
  const TestFolder folder;
  folder.write("shapes/base.h", "#define SIDE 2\n");
  folder.write("shapes/more.h", "#include \"base.h\"\n");
  folder.write("shapes/square.c", "#include \"more.h\"\nint square(void) { return SIDE * SIDE; }\n");
  for (int index = 0; index < 5; ++index) {
    const std::string number = std::to_string(index);
    folder.write("shapes/other" + number + ".c", "int other" + number + "(void) { return " + number + "; }\n");
  }
  folder.write("alone.c", "int alone(void) { return 1; }\n");
  const CompileReport first = compiled(Source::folder(folder.path()), cached_in(cache));
  ASSERT_EQ(first.modules.size(), 2U);
  EXPECT_EQ(first.files_compiled, 7U);

  folder.write("shapes/base.h", "#define SIDE 3\n");
  const CompileReport second = compiled(Source::folder(folder.path()), cached_in(cache));
  EXPECT_EQ(second.files_compiled, 1U);
  for (const CompiledSource& module : second.modules) {
    if (module.module == "alone") {
      EXPECT_TRUE(module.cache_hit);
      continue;
    }
    EXPECT_THAT(module.rebuilt, testing::ElementsAre("shapes/square.c"));
    EXPECT_THAT(module.files, testing::Contains("shapes/base.h"));
    const auto outcome = run(module.artifact, HostFunctions(), {.function = "square"});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->values.at(0).i32(), 9);
  }
}

// C17
TEST(CompileCache, ConcurrentCompilesOfOneSourceStartOneCompiler) {
  const TestFolder cache;
  const CompileOptions options = cached_in(cache);
  ASSERT_TRUE(clear_compile_cache(options));
  std::vector<std::thread> threads;
  for (int index = 0; index < 5; ++index) {
    threads.emplace_back([&options] { compiled(Source::code("c", kWave), options); });
  }
  for (std::thread& thread : threads) thread.join();
  const auto info = compile_cache_info(options);
  ASSERT_TRUE(info);
  EXPECT_EQ(info->misses, 1U);
  EXPECT_EQ(info->hits, 4U);
  const auto cleared = clear_compile_cache(options);
  ASSERT_TRUE(cleared);
  EXPECT_EQ(cleared->hits + cleared->misses + cleared->entries, 0U);
}

// C14
TEST(CompileCache, ABlankAtTheEndOfALineIsCompiledAgainAndGivesTheSameArtifact) {
  const TestFolder cache;
  const CompileReport first = compiled(Source::code("c", "int f(void) { return 1; }\n"), cached_in(cache));
  const CompileReport second = compiled(Source::code("c", "int f(void) { return 1; }  \n"), cached_in(cache));
  EXPECT_FALSE(second.cache_hit);
  EXPECT_EQ(second.modules.at(0).artifact->id(), first.modules.at(0).artifact->id());
}

TEST(CompileCpp, StartsFromAPrecompiledHeader) {
  const TestFolder cache;
  const char* const text = "#include <vector>\nextern \"C\" int f(int n) { return (int)std::vector<int>(n).size(); }\n";
  compiled(Source::code("cpp", text), cached_in(cache));
  std::size_t headers = 0;
  for (const auto& entry : std::filesystem::directory_iterator(cache.path() + "/headers"))
    headers += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(headers, 1U);
}

// A variable of the environment for one test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* const name_;
};

// C10
TEST(CompileJail, WithoutBubblewrapIsRefusedOrWarnsEachTime) {
  const Variable missing("PETRI_BUBBLEWRAP", "/nonexistent/bwrap");
  const Error refused = failure_of(Source::code("c", kWave));
  EXPECT_EQ(refused.code, ErrorCode::permission_denied);
  EXPECT_THAT(refused.message, HasSubstr("install the package bubblewrap"));
  CompileOptions allowed = without_cache();
  allowed.allow_unjailed = true;
  for (int time = 0; time < 2; ++time) {
    const CompileReport report = compiled(Source::code("c", kWave), allowed);
    EXPECT_EQ(report.strategy, CompileStrategy::unjailed);
    EXPECT_EQ(report.warnings, 1U);
    EXPECT_THAT(report.diagnostics.at(0).message, HasSubstr("without a jail"));
  }
}

TEST(CompileJail, AMissingCompilerNamesItsPackages) {
  const Variable missing("PETRI_CLANG", "/nonexistent/clang");
  const Error refused = failure_of(Source::code("c", kWave));
  EXPECT_EQ(refused.code, ErrorCode::compilation_failed);
  EXPECT_THAT(refused.message, HasSubstr("wasi-libc"));
}

// C02
TEST(CompileAssemblyScript, WithoutAscSaysHowToGetIt) {
  const Variable missing("PETRI_ASC", "/nonexistent/asc");
  const Error refused = failure_of(Source::code("assemblyscript", "export function f(): i32 { return 1; }"));
  EXPECT_EQ(refused.code, ErrorCode::compilation_failed);
  EXPECT_THAT(refused.message, HasSubstr("npm install assemblyscript"));
}

TEST(CompileRust, WithoutRustcSaysHowToGetIt) {
  const Variable missing("PETRI_RUSTC", "/nonexistent/rustc");
  const Error refused = failure_of(Source::code("rust", "#[no_mangle] pub extern \"C\" fn f() -> i32 { 1 }"));
  EXPECT_EQ(refused.code, ErrorCode::compilation_failed);
  EXPECT_THAT(refused.message, HasSubstr("rustup target add"));
}

// C11
TEST(CompileJail, AServerThatIsKilledIsReplaced) {
  compiled(Source::code("c", kWave));
  for (int round = 0; round < 3; ++round) {
    for (const WorkerIds& worker : live_workers()) ::kill(worker.process, SIGKILL);
    compiled(Source::code("c", kWave));
  }
}

// hostile I07: texts that are no programs, in bounded time.
TEST(CompileC, RefusesTextsThatAreNoPrograms) {
  const std::string binary(
      "\x7f"
      "ELF\x02\x01\x01\0\0\0\xff\xfe\x80\x81",
      16);
  const std::string deep(200'000, '(');
  for (const std::string& text :
       {binary, std::string("int f( {"), std::string("#include <nothing.h>\n"), std::string("#include \"self.c\"\n"),
        std::string("int x = ") + deep, std::string("#define\n#if\n"), std::string(1'000, 'x')}) {
    const Error refused = failure_of(Source::code("c", text));
    EXPECT_EQ(refused.code, ErrorCode::compilation_failed) << refused.message;
  }
  CompileOptions small = without_cache();
  small.source_bytes_max = 1'000;
  EXPECT_EQ(failure_of(Source::code("c", std::string(2'000, ' ') + "x"), small).code, ErrorCode::module_too_large);
}

TEST(CompileC, TakesFilesWithAnyName) {
  const TestFolder folder;
  for (const char* const name : {"-o.c", "a 'b' \"c\".c", "new\nline.c", "@file.c", "$(x);.c", "a:1:2: error: b.c"}) {
    folder.write(name, "int f(void) { return 4; }\n");
    compiled(Source::file(folder.path() + "/" + name));
    folder.write(name, "int f(void) { return g(); }\n");
    const Error refused = failure_of(Source::file(folder.path() + "/" + name));
    EXPECT_EQ(refused.code, ErrorCode::compilation_failed);
  }
}

TEST(CompileFolder, WithoutSourcesOrReadableFilesIsRefused) {
  const TestFolder folder;
  folder.write("notes.txt", "nothing");
  EXPECT_EQ(failure_of(Source::folder(folder.path())).code, ErrorCode::validation_failed);
  EXPECT_EQ(failure_of(Source::folder(folder.path() + "/none")).code, ErrorCode::io_error);
  EXPECT_EQ(failure_of(Source::file(folder.path() + "/none.c")).code, ErrorCode::io_error);
}

// C08
TEST(CompileFolder, FollowsNoLinkOutOfTheFolder) {
  const TestFolder folder;
  const TestFolder outside;
  outside.write("secret.h", "#define SECRET 42\n");
  folder.write("a.c", "#include \"link.h\"\nint f(void) { return SECRET; }\n");
  std::filesystem::create_symlink(outside.path() + "/secret.h", folder.path() + "/link.h");
  std::filesystem::create_symlink(outside.path(), folder.path() + "/sub");
  EXPECT_EQ(failure_of(Source::folder(folder.path())).code, ErrorCode::compilation_failed);
  EXPECT_EQ(failure_of(Source::file(folder.path() + "/a.c")).code, ErrorCode::compilation_failed);
}

// C28
TEST(CompileFolder, APetriJsonSaysWhatIsWhichModule) {
  const TestFolder folder;
  folder.write("a.c", "int a(void) { return 1; }\n");
  folder.write("lib/b.c", "#include \"b.h\"\nint b(void) { return B; }\n");
  folder.write("headers/b.h", "#define B 7\n");
  folder.write("petri.json",
               R"({"modules": {"both": {"sources": ["a.c", "lib/b.c"], "include_folders": ["headers"]}}})");
  const CompileReport report = compiled(Source::folder(folder.path()));
  ASSERT_EQ(report.modules.size(), 1U);
  EXPECT_EQ(report.modules[0].module, "both");
  EXPECT_NE(report.modules[0].artifact->find_export("a"), nullptr);
  EXPECT_NE(report.modules[0].artifact->find_export("b"), nullptr);

  folder.write("petri.json", R"({"modules": {"both": {"sources": ["c.c"], "flags": ["-fplugin=x"], "colour": 1}}})");
  const Error refused = failure_of(Source::folder(folder.path()));
  EXPECT_EQ(refused.code, ErrorCode::validation_failed);
  EXPECT_THAT(refused.message, HasSubstr("\"c.c\" is no source in this folder"));
  EXPECT_THAT(refused.message, HasSubstr("-fplugin=x"));
  EXPECT_THAT(refused.message, HasSubstr("colour"));
}

TEST(CompileFolder, ModulesThatOthersImportFromComeFirst) {
  const TestFolder folder;
  folder.write("a.c",
               "__attribute__((import_module(\"b\"), import_name(\"f\"))) int f(void);\nint g(void) { return f(); }\n");
  folder.write("b.wat", "(module (func (export \"f\") (result i32) i32.const 1))");
  const CompileReport report = compiled(Source::folder(folder.path()));
  ASSERT_EQ(report.modules.size(), 2U);
  EXPECT_EQ(report.modules[0].module, "b");
}

TEST(CompileCache, OnAFullDiskOrInAPlaceThatCannotBeOneKeepsNothing) {
  const TestFolder cache;
  compiled(Source::code("c", "int f(void) { return 1; }\n"),
           cached_in(cache));  // starts the servers before the disk is full
  {
    const FileSizeLimit full(100);
    EXPECT_FALSE(compiled(Source::code("c", kWave), cached_in(cache)).cache_hit);
    EXPECT_FALSE(compiled(Source::code("c", kWave), cached_in(cache)).cache_hit);
  }
  cache.write("file", "not a folder");
  CompileOptions nowhere;
  nowhere.cache_folder = cache.path() + "/file/cache";
  EXPECT_FALSE(compiled(Source::code("c", kWave), nowhere).cache_hit);
}

// C11
TEST(CompileJail, LeavesNoFileWithoutAJail) {
  const Variable missing("PETRI_BUBBLEWRAP", "/nonexistent/bwrap");
  const TestFolder temporary;
  const Variable folder("TMPDIR", temporary.path().c_str());
  CompileOptions options = without_cache();
  options.allow_unjailed = true;
  compiled(Source::code("c", kWave), options);
  EXPECT_EQ(failure_of(Source::code("c", "int f( {"), options).code, ErrorCode::compilation_failed);
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
}

TEST(CompileC, IsStoppedByItsToken) {
  std::stop_source stop;
  stop.request_stop();
  CompileOptions options = without_cache();
  options.stop = stop.get_token();
  EXPECT_EQ(failure_of(Source::code("c", kWave), options).code, ErrorCode::cancelled);
}

}  // namespace
}  // namespace petri
