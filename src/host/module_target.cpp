#include "host/module_target.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/escape.h"
#include "host/guest/guest.h"
#include "host/link.h"

namespace petri {
namespace {

std::string module_shown(const ImportView& import) { return escape_text(import.module, kNameShownBytesMax); }

std::unexpected<Error> refuse_target(const ImportView& import, std::string_view why) {
  return fail(import_error(ErrorCode::link_error, "link", import, why));
}

}  // namespace

Result<void> check_crossing(const ImportView& import) {
  const auto has_reference = [](std::span<const ValueType> types) {
    return std::ranges::find(types, ValueType::funcref) != types.end();
  };
  if (!has_reference(import.signature.params) && !has_reference(import.signature.results)) return {};
  return refuse_target(import, "passes references, which do not cross between modules");
}

Result<LinkedTarget> find_target(const ImportView& import, const LoadableArtifact& callee, std::uint32_t member) {
  const auto number = callee.export_number(import.name);
  if (!number || callee.export_at(*number).kind != ExternKind::function) {
    return refuse_target(
        import, fmt::format("is offered by nobody: the module {} exports no such function", module_shown(import)));
  }
  const SignatureView offered = callee.export_at(*number).signature;
  if (!matches(import.signature, to_signature(offered))) {
    return refuse_target(import, fmt::format("is a function of type {}, but the module {} exports one of type {}",
                                             to_text(to_signature(import.signature)), module_shown(import),
                                             to_text(to_signature(offered))));
  }
  PETRI_TRY(check_crossing(import));
  return LinkedTarget{.member = member,
                      .export_number = *number,
                      .params = static_cast<std::uint32_t>(offered.params.size()),
                      .results = static_cast<std::uint32_t>(offered.results.size()),
                      .once = import.name == kCommandStart};
}

Error name_importer(std::string_view importer, Error error) {
  error.message = fmt::format("the module {}: {}", importer, error.message);
  return std::move(error).with("importer", std::string(importer));
}

}  // namespace petri
