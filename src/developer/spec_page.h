// The reference page of a sandbox's spec and a runtime's options as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace petri::developer {

// A field of an object in the JSON.
struct SpecField {
  std::string_view name;
  std::string_view type;
  std::string_view otherwise;  // the default
  std::string_view range;      // empty: the type says all
  std::string_view example;    // the member as it is written, and what has to stand beside it
  std::string_view meaning;
};

// An object in the JSON, with all its fields.
struct SpecObject {
  std::string_view title;
  std::string_view about;
  // A whole document in which "%" stands for members of this object: the test reads it with each example, and with a
  // field that nobody knows, so that the reader lists those that it knows.
  std::string_view document;
  bool runtime = false;  // read by RuntimeOptions::from_json, else by SandboxSpec::from_json
  std::vector<SpecField> fields;
};

const std::vector<SpecObject>& spec_objects();
// The document of an object with these members in it.
std::string spec_document(const SpecObject& object, std::string_view members);
std::string spec_page();

}  // namespace petri::developer
