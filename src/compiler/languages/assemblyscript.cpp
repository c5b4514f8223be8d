#include <fmt/format.h>

#include <filesystem>

#include "compiler/jail/find_program.h"
#include "compiler/language.h"
#include "compiler/program_build.h"

namespace petri {
namespace {

namespace fs = std::filesystem;

// Packages may stand anywhere, and a jail has a /tmp of its own.
constexpr const char* kPackagesInJail = "/petri/node_modules";

// The package that this command belongs to: asc is bin/asc.js in it, and needs the packages beside it.
fs::path packages_of(const fs::path& asc) {
  for (fs::path folder = asc.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
    if (folder.filename() == "node_modules") return folder;
  }
  return {};
}

std::string find_asc() {
  if (std::string named = find_program("PETRI_ASC", "asc"); !named.empty()) return named;
  std::error_code unknown;
  const fs::path local = fs::current_path(unknown) / "node_modules/.bin/asc";
  return fs::exists(local, unknown) ? local.string() : std::string();
}

Error asc_missing(const char* what) {
  return Error{
      .code = ErrorCode::compilation_failed,
      .message = fmt::format("AssemblyScript needs node and its compiler asc, and {}; install the package nodejs, and "
                             "asc with npm install assemblyscript, or name asc in PETRI_ASC",
                             what),
      .details = {{"component", "compiler"}, {"package", "assemblyscript"}}};
}

class AssemblyScript final : public Language {
 public:
  const SourceLanguage& facts() const override {
    static const SourceLanguage kFacts{.name = "assemblyscript", .endings = {".ts"}};
    return kFacts;
  }

  Result<ModuleBuild> build(const ModulePlan& plan, const BuildContext& context) const override {
    const std::string node = find_program("PETRI_NODE", "node");
    if (node.empty()) return fail(asc_missing("node is not there"));
    std::error_code failed;
    const fs::path asc = fs::canonical(find_asc(), failed);
    if (failed) return fail(asc_missing("asc is not there"));
    const fs::path packages = packages_of(asc);
    if (packages.empty()) return fail(asc_missing("asc stands in no folder of packages"));
    const std::string real_node = fs::canonical(node, failed).string();
    const bool jailed = !find_program("PETRI_BUBBLEWRAP", "bwrap").empty();
    const std::string seen = jailed ? kPackagesInJail : packages.string();
    const std::string script = seen + "/" + asc.lexically_relative(packages).string();
    // With --enable-source-maps asc does not start itself a second time to get it.
    ProgramJob job{
        .mounts = {{real_node, real_node}, {packages.string(), seen}},
        .arguments = {real_node, "--enable-source-maps", script, "--outFile", "../out/artifact", "--runtime", "stub",
                      "--use", "abort=", "-O" + plan.optimise},
        .identity_files = {real_node, asc.string(), (asc.parent_path().parent_path() / "package.json").string()}};
    job.environment = {"NO_COLOR=1"};
    for (const std::string& source : plan.sources) job.arguments.push_back("./" + source);
    return build_by_program(plan, context, std::move(job), MessageForm::assemblyscript);
  }
};

}  // namespace

const Language& assemblyscript_language() {
  static const AssemblyScript kLanguage;
  return kLanguage;
}

}  // namespace petri
