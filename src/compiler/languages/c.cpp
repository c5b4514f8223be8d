#include "compiler/clang/clang_build.h"
#include "compiler/language.h"

namespace petri {
namespace {

class C final : public Language {
 public:
  const SourceLanguage& facts() const override {
    static const SourceLanguage kFacts{.name = "c", .endings = {".c"}};
    return kFacts;
  }

  Result<ModuleBuild> build(const ModulePlan& plan, const BuildContext& context) const override {
    return build_by_clang(plan, context);
  }
};

}  // namespace

const Language& c_language() {
  static const C kLanguage;
  return kLanguage;
}

}  // namespace petri
