#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "compiler/jail/find_program.h"
#include "compiler/language.h"
#include "compiler/program_build.h"

namespace petri {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 2> kTargets{"wasm32-wasip1", "wasm32-unknown-unknown"};

Error rust_missing(const char* what) {
  return Error{
      .code = ErrorCode::compilation_failed,
      .message = fmt::format("Rust needs rustc with a target of wasm, and {}; install rustup, then the target with "
                             "rustup target add wasm32-wasip1, or name rustc in PETRI_RUSTC",
                             what),
      .details = {{"component", "compiler"}, {"package", "rustc"}}};
}

// rustup puts small programs into PATH that look for the real one; a jail shows only that.
std::string real_rustc() {
  std::error_code failed;
  const std::string found = find_program("PETRI_RUSTC", "rustc");
  if (found.empty()) return {};
  const fs::path real = fs::canonical(found, failed);
  if (!failed && real.filename() == "rustc") return real.string();
  for (const auto& entry : fs::directory_iterator(fs::path(found).parent_path() / "../../.rustup/toolchains", failed)) {
    const fs::path program = entry.path() / "bin/rustc";
    if (fs::exists(program, failed)) return fs::canonical(program, failed).string();
  }
  return {};
}

class Rust final : public Language {
 public:
  const SourceLanguage& facts() const override {
    static const SourceLanguage kFacts{.name = "rust", .endings = {".rs"}};
    return kFacts;
  }

  Result<ModuleBuild> build(const ModulePlan& plan, const BuildContext& context) const override {
    const std::string rustc = real_rustc();
    if (rustc.empty()) return fail(rust_missing("rustc is not there"));
    const std::string root = fs::path(rustc).parent_path().parent_path().string();
    const char* const target = target_in(root);
    if (target == nullptr) return fail(rust_missing("the rustc that is there has no such target"));
    ProgramJob job{.mounts = {{root, root}},
                   .arguments = {rustc,
                                 "--sysroot",
                                 root,
                                 "--target",
                                 target,
                                 "--crate-type",
                                 "cdylib",
                                 "--edition",
                                 "2021",
                                 "--color",
                                 "never",
                                 "-C",
                                 "panic=abort",
                                 "-C",
                                 "opt-level=" + plan.optimise,
                                 "-C",
                                 "strip=debuginfo",
                                 "-C",
                                 "linker=rust-lld",
                                 "-o",
                                 "../out/artifact",
                                 "./" + root_of(plan)},
                   .identity_files = {rustc, root + "/lib/rustlib/" + target + "/lib"}};
    return build_by_program(plan, context, std::move(job), MessageForm::rust);
  }

 private:
  static const char* target_in(const std::string& root) {
    for (const char* const target : kTargets) {
      std::error_code unknown;
      if (fs::exists(root + "/lib/rustlib/" + target + "/lib", unknown)) return target;
    }
    return nullptr;
  }

  // The other files are its modules: lib.rs or main.rs, else the first.
  static std::string root_of(const ModulePlan& plan) {
    for (const std::string& source : plan.sources) {
      if (source.ends_with("lib.rs") || source.ends_with("main.rs")) return source;
    }
    return plan.sources.front();
  }
};

}  // namespace

const Language& rust_language() {
  static const Rust kLanguage;
  return kLanguage;
}

}  // namespace petri
