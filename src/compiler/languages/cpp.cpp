#include "compiler/clang/clang_build.h"
#include "compiler/language.h"

namespace petri {
namespace {

class Cpp final : public Language {
 public:
  const SourceLanguage& facts() const override {
    static const SourceLanguage kFacts{.name = "cpp", .endings = {".cpp", ".cc", ".cxx"}};
    return kFacts;
  }

  Result<ModuleBuild> build(const ModulePlan& plan, const BuildContext& context) const override {
    return build_by_clang(plan, context);
  }
};

}  // namespace

const Language& cpp_language() {
  static const Cpp kLanguage;
  return kLanguage;
}

}  // namespace petri
