#include "state/state_complaints.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/units.h"
#include "base/text/utf8.h"
#include "state/state_type.h"

namespace petri {
namespace {

void check_name(std::string_view name, Complaints& complaints) {
  if (name.empty()) complain(complaints, name, "a field has an empty name");
  if (name.size() > kStateNameBytesMax) {
    complain(complaints, name,
             fmt::format("{} has a name of {} bytes and {} are allowed", shown_name(name), format_count(name.size()),
                         kStateNameBytesMax));
  }
  if (!is_utf8(name)) complain(complaints, name, fmt::format("the name {} is not UTF-8", shown_name(name)));
}

}  // namespace

void check_state_fields(std::span<const StateField> fields, Complaints& complaints) {
  if (fields.size() > kStateFieldsMax) {
    complain(complaints, {},
             fmt::format("there are {} fields and {} are allowed", format_count(fields.size()),
                         format_count(kStateFieldsMax)));
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const StateField& field = fields[i];
    check_name(field.name, complaints);
    if (field.count == 0) complain(complaints, field.name, fmt::format("{} has no elements", shown_name(field.name)));
    const bool again = i > 0 && fields[i - 1].name == field.name;
    if (again) complain(complaints, field.name, fmt::format("two fields are called {}", shown_name(field.name)));
  }
}

Result<StateSchema> StateSchema::create(std::vector<StateField> fields, std::uint64_t state_bytes_max) {
  std::ranges::sort(fields, {}, &StateField::name);
  Complaints complaints;
  check_state_fields(fields, complaints);
  PETRI_TRY(complaints.result(ErrorCode::validation_failed, "the state's fields cannot be used"));

  StateSchema schema;
  schema.fields_ = std::move(fields);
  for (const StateField& field : schema.fields_) {
    schema.offsets_.push_back(schema.bytes_);
    schema.bytes_ += bytes_of(field);
  }
  if (schema.bytes_ <= state_bytes_max) return schema;
  return fail(ErrorCode::limit_exceeded,
              fmt::format("the state has {} and state_bytes_max is {}; keep less, or raise the limit",
                          format_bytes(schema.bytes_), format_bytes(state_bytes_max)));
}

std::optional<std::size_t> StateSchema::find(std::string_view name) const {
  const auto found =
      std::ranges::lower_bound(fields_, name, {}, [](const StateField& f) { return std::string_view(f.name); });
  if (found == fields_.end() || found->name != name) return std::nullopt;
  return static_cast<std::size_t>(found - fields_.begin());
}

}  // namespace petri
