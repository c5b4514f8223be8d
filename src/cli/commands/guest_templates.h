// The files that `petri new` writes, from guest/templates.
#pragma once

#include <string_view>
#include <vector>

namespace petri::cli {

struct GuestTemplate {
  std::string_view language;
  std::string_view ending;  // of the source's name
  std::string_view source;
  std::string_view edit;  // for sed: a change that the test makes while the guest runs
};
const std::vector<GuestTemplate>& guest_templates();

// test.sh, with @NAME@, @FILE@ and @EDIT@ to be replaced.
std::string_view guest_test_template();

}  // namespace petri::cli
