// The state of a process as data: fields by name with types, the documents that hold their values, and the plan by
// which the state of one version becomes the state of another. All of these are values; nothing here knows of a live
// guest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "petri/result.h"

namespace petri {

// `boolean` is one byte, 0 or 1. `bytes` is a block of exactly `count` bytes. `text` is UTF-8 in a block of `count`
// bytes that ends at the first zero byte or at the end of the block.
enum class StateType : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, boolean, bytes, text };
std::string_view name_of(StateType type);
std::optional<StateType> state_type_named(std::string_view name);
const std::vector<StateType>& all_state_types();

// One field of a schema.
struct StateField {
  std::string name;  // UTF-8, 1 to kStateNameBytesMax bytes
  StateType type = StateType::i32;
  std::uint32_t count = 1;  // above 1 it is a list; of bytes and text, how many bytes there is room for
  bool operator==(const StateField&) const = default;
};
// "i32", "i32[5]", "text[32]"
std::string type_text(const StateField& field);

// Bounds of a schema: the number of fields, the bytes of a name, the bytes of all values.
constexpr std::size_t kStateFieldsMax = 1'024;
constexpr std::size_t kStateNameBytesMax = 128;
constexpr std::uint64_t kStateBytesDefault = 16ULL << 20;

// The fields of a version, in the order of their names, wherever the version keeps them.
class StateSchema {
 public:
  StateSchema() = default;
  // Names that are empty, too long, not UTF-8 or given twice, counts of 0 and too many fields are one validation_failed
  // with a detail "field" for each; values of more than `state_bytes_max` together are limit_exceeded.
  static Result<StateSchema> create(std::vector<StateField> fields, std::uint64_t state_bytes_max = kStateBytesDefault);

  const std::vector<StateField>& fields() const { return fields_; }
  // The index of the field of this name.
  std::optional<std::size_t> find(std::string_view name) const;
  std::uint64_t bytes() const { return bytes_; }                                        // of all values together
  std::uint64_t offset(std::size_t index) const { return offsets_[index]; }             // of a field in those bytes
  bool operator==(const StateSchema& other) const { return fields_ == other.fields_; }  // the rest follows from them

 private:
  std::vector<StateField> fields_;
  std::vector<std::uint64_t> offsets_;
  std::uint64_t bytes_ = 0;
};

// One element of a field: integers and booleans by their sign, floats by their width, bytes and text whole.
using StateValue = std::variant<std::int64_t, std::uint64_t, float, double, std::string>;

// A field with its values.
struct StateEntry {
  StateField field;
  std::vector<StateValue> values;  // as many as the field has elements; one for bytes and text
  bool operator==(const StateEntry&) const = default;
};

// The fields of one process with their values. Equality is equality of bits: NaNs are kept with their payload.
class StateDocument {
 public:
  StateDocument();  // of no fields
  // A document with all numbers 0 and all strings empty. The schema is shared by the documents of many processes.
  explicit StateDocument(std::shared_ptr<const StateSchema> schema);
  // Values that their field cannot hold are one validation_failed that names the fields.
  static Result<StateDocument> create(std::span<const StateEntry> entries,
                                      std::uint64_t state_bytes_max = kStateBytesDefault);
  // A document of the values as bytes() shows them. A boolean that is neither 0 nor 1, a string that is not UTF-8 or
  // continues after its end is one state_incompatible that names the fields.
  static Result<StateDocument> from_bytes(std::shared_ptr<const StateSchema> schema, std::vector<std::uint8_t> bytes);

  const StateSchema& schema() const { return *schema_; }
  const std::shared_ptr<const StateSchema>& shared_schema() const { return schema_; }
  // All values in the order of the schema, little-endian, without gaps; strings are filled up with zeros.
  std::span<const std::uint8_t> bytes() const { return bytes_; }

  std::vector<StateEntry> entries() const;
  // not_found without such a field or element.
  Result<StateValue> get(std::string_view name, std::uint32_t index = 0) const;
  // A value that the field's type cannot hold exactly is validation_failed, and the document stays as it was.
  Result<void> set(std::string_view name, const StateValue& value, std::uint32_t index = 0);
  bool operator==(const StateDocument& other) const { return *schema_ == *other.schema_ && bytes_ == other.bytes_; }

 private:
  std::shared_ptr<const StateSchema> schema_;
  std::vector<std::uint8_t> bytes_;
};

// {"fields":[{"name":"count","type":"i32","value":7},{"name":"scores","type":"f64","count":2,"value":[1.5,"nan"]}]}
// For people: bytes are hexadecimal digits, floats without a number in JSON are strings.
std::string to_json(const StateDocument& document);
// The form for keeping and sending: one document has exactly one, and only that is read back; all else is parse_failed,
// and what is no document validation_failed, limit_exceeded or state_incompatible as above.
std::vector<std::uint8_t> to_cbor(const StateDocument& document);
Result<StateDocument> state_from_cbor(std::span<const std::uint8_t> cbor,
                                      std::uint64_t state_bytes_max = kStateBytesDefault);

// The fate of a field. When several hold, the latest in this list is reported.
enum class StateAction : std::uint8_t {
  keep,     // as it is
  widen,    // every value it can have fits the new type of the same kind
  convert,  // to another kind or a narrower type; values that would not survive are refused
  // "default": what the old version lacks holds the new version's own initial value
  default_,  // NOLINT(readability-identifier-naming)
  rename,    // by a hint, and converted as needed
  drop,      // lost, with permission
  refuse,    // the change is not made
};
std::string_view name_of(StateAction action);

// The decision about one field.
struct StateStep {
  StateAction action = StateAction::keep;
  std::optional<StateField> from;  // the old field
  std::optional<StateField> to;    // the new one
  std::uint32_t elements_kept = 0;
  bool by_value = false;   // whether it can be done shows with the values
  bool droppable = false;  // refused only because dropping was not permitted
  std::string reason;      // for a person
  bool operator==(const StateStep&) const = default;
};

// A field of the old version and its name in the new one.
struct StateRename {
  std::string from;
  std::string to;
  bool operator==(const StateRename&) const = default;
};
// The renames of a reload.
using StateHints = std::vector<StateRename>;

// The losses that a plan may accept.
struct StatePolicy {
  bool drop = false;  // old values that have no place in the new version may be lost
};

// Converts documents of one schema to documents of another: fields by name, or by hint where one is given.
class StatePlan {
 public:
  // Always a plan, however much of it is refused. Hints that name unknown fields or one field twice are one
  // validation_failed with all of them.
  static Result<StatePlan> create(std::shared_ptr<const StateSchema> from, std::shared_ptr<const StateSchema> to,
                                  const StateHints& hints = {}, StatePolicy policy = {});
  // The plan from the first plan's old version to the last one's new version at once, following the renames of all of
  // them; the types and values of the versions in between do not matter. Plans that do not join are validation_failed.
  static Result<StatePlan> chain(std::span<const StatePlan> plans, StatePolicy policy = {});
  // The way back, by the same rules and the same hints the other way round.
  StatePlan reversed(StatePolicy policy = {}) const;

  const StateSchema& from() const { return *from_; }
  const StateSchema& to() const { return *to_; }
  // The new version's fields in the order of their names, then those only the old one has.
  const std::vector<StateStep>& steps() const { return steps_; }

  // No old value is lost: there and back again, what was added being dropped, gives an equal document.
  bool lossless() const;
  // state_incompatible with every refused field, its old type, new type and reason, in the message and in details.
  Result<void> check() const;
  // The new version's document: `initial`, its own, with all that is carried over put in. A plan that refuses, and
  // values that would not survive, are one state_incompatible that names the fields; documents of other schemas are
  // validation_failed.
  Result<StateDocument> apply(const StateDocument& document, const StateDocument& initial) const;

 private:
  StatePlan(std::shared_ptr<const StateSchema> from, std::shared_ptr<const StateSchema> to, StateHints hints)
      : from_(std::move(from)), to_(std::move(to)), hints_(std::move(hints)) {}
  void decide(StatePolicy policy);

  std::shared_ptr<const StateSchema> from_;
  std::shared_ptr<const StateSchema> to_;
  StateHints hints_;
  std::vector<StateStep> steps_;
};

// {"lossless":true,"refused":false,"steps":[{"action":"widen","from":"count","to":"count","old_type":"i32",...}]}
std::string to_json(const StatePlan& plan);

}  // namespace petri
