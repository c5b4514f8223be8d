#include "engine/module/hook_exports.h"

#include <fmt/format.h>

#include <algorithm>

#include "petri/value.h"

namespace petri {
namespace {

constexpr std::string_view kCallback = "a function of type () -> i32";
constexpr std::string_view kEntry = "a function of type () -> ()";
constexpr std::string_view kTable = "an immutable global of type i32";

constexpr HookExport kHooks[] = {
    {"petri_init", kCallback}, {"petri_handle", kCallback},  {"petri_terminate", kCallback}, {"petri_save", kCallback},
    {"petri_load", kCallback}, {"petri_migrate", kCallback}, {"petri_ready", kCallback},     {"petri_state", kTable},
    {"_start", kEntry},        {"_initialize", kEntry},
};

bool is_callback(const ExportView& view) {
  return view.kind == ExternKind::function && view.signature.params.empty() && view.signature.results.size() == 1 &&
         view.signature.results[0] == ValueType::i32;
}

bool is_entry(const ExportView& view) {
  return view.kind == ExternKind::function && view.signature.params.empty() && view.signature.results.empty();
}

bool is_constant_address(const ExportView& view) {
  return view.kind == ExternKind::global && view.global_type == ValueType::i32 && !view.global_mutable;
}

bool is_what_it_must_be(const HookExport& hook, const ExportView& view) {
  if (hook.must_be == kCallback) return is_callback(view);
  return hook.must_be == kEntry ? is_entry(view) : is_constant_address(view);
}

std::string what_it_is(const ExportView& view) {
  if (view.kind == ExternKind::function) return "a function of type " + to_text(to_signature(view.signature));
  if (view.kind != ExternKind::global) return fmt::format("a {}", name_of(view.kind));
  return fmt::format("{} global of type {}", view.global_mutable ? "a mutable" : "an immutable",
                     name_of(view.global_type));
}

}  // namespace

std::span<const HookExport> hook_exports() { return kHooks; }

Result<void> check_hook_export(const ExportView& view) {
  if (!view.name.starts_with("petri_") && !view.name.starts_with('_')) return {};
  const auto* hook = std::ranges::find(kHooks, view.name, &HookExport::name);
  if (hook == std::end(kHooks) || is_what_it_must_be(*hook, view)) return {};
  Error error{.code = ErrorCode::rejected,
              .message = fmt::format("the module is not accepted: its export \"{}\" is {}, but petri calls what has "
                                     "this name and it must be {}",
                                     hook->name, what_it_is(view), hook->must_be),
              .details = {}};
  return fail(std::move(error).with("component", "gate").with("export", std::string(hook->name)));
}

}  // namespace petri
