#include <fmt/format.h>

#include <cmath>

#include "base/text/byte_text.h"
#include "base/text/escape.h"
#include "petri/state.h"
#include "state/state_block.h"
#include "state/state_number.h"
#include "state/state_type.h"

namespace petri {
namespace {

template <typename Number>
std::string json_of(Number number) {
  std::string text = to_text(StateNumber(number));
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(number)) return json_string(text);
    // Readers take -0 for an integer, which has no sign.
    if (text == "-0") return "-0.0";
  }
  return text;
}

std::string element_json(StateType type, const std::uint8_t* element) {
  if (type == StateType::boolean) return *element == 0 ? "false" : "true";
  return std::visit([](auto number) { return json_of(number); }, load_number(type, element));
}

std::string value_json(const StateField& field, std::span<const std::uint8_t> block) {
  if (field.type == StateType::text) return json_string(text_in(block));
  if (field.type == StateType::bytes) return json_string(to_hex(block));
  const std::size_t size = rule_of(field.type).bytes;
  if (field.count == 1) return element_json(field.type, block.data());
  std::string list = "[";
  for (std::size_t i = 0; i < field.count; ++i)
    list.append(i == 0 ? "" : ",").append(element_json(field.type, block.data() + i * size));
  return list += ']';
}

std::string field_json(const StateField& field, std::span<const std::uint8_t> block) {
  const std::string count = field.count == 1 ? "" : fmt::format(R"("count":{},)", field.count);
  return fmt::format(R"({{"name":{},"type":"{}",{}"value":{}}})", json_string(field.name), name_of(field.type), count,
                     value_json(field, block));
}

std::string step_json(const StateStep& step) {
  std::string json = fmt::format(R"({{"action":"{}",)", name_of(step.action));
  if (step.from)
    json += fmt::format(R"("from":{},"old_type":"{}",)", json_string(step.from->name), type_text(*step.from));
  if (step.to) json += fmt::format(R"("to":{},"new_type":"{}",)", json_string(step.to->name), type_text(*step.to));
  return json + fmt::format(R"("elements_kept":{},"by_value":{},"droppable":{},"reason":{}}})", step.elements_kept,
                            step.by_value, step.droppable, json_string(step.reason));
}

}  // namespace

std::string to_json(const StateDocument& document) {
  const StateSchema& schema = document.schema();
  std::string json = R"({"fields":[)";
  for (std::size_t i = 0; i < schema.fields().size(); ++i) {
    const StateField& field = schema.fields()[i];
    json.append(i == 0 ? "" : ",");
    json += field_json(field, document.bytes().subspan(schema.offset(i), bytes_of(field)));
  }
  return json += "]}";
}

std::string to_json(const StatePlan& plan) {
  std::string steps;
  for (const StateStep& step : plan.steps()) steps.append(steps.empty() ? "" : ",").append(step_json(step));
  return fmt::format(R"({{"lossless":{},"refused":{},"steps":[{}]}})", plan.lossless(), !plan.check(), steps);
}

}  // namespace petri
