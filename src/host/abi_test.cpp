// guest/abi/abi.json says what the code does, and the code does what it says.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "engine/module/hook_exports.h"
#include "host/host_table.h"

namespace petri {
namespace {

using Json = nlohmann::json;

std::string read_tree(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(PETRI_TESTS_FOLDER) + "/../" + path).rdbuf();
  return text.str();
}

const Json& abi() {
  static const Json json = Json::parse(read_tree("guest/abi/abi.json"));
  return json;
}

std::vector<std::string> names_of(const std::vector<ValueType>& types) {
  std::vector<std::string> names;
  for (const ValueType type : types) names.emplace_back(name_of(type));
  return names;
}

TEST(GuestAbi, ListsExactlyTheFunctionsThatAreOffered) {
  std::map<std::pair<std::string, std::string>, Json> listed;
  for (const Json& import : abi()["imports"]) listed[{import["module"], import["name"]}] = import;
  EXPECT_EQ(listed.size(), builtin_functions().size());
  for (const HostFunction& function : builtin_functions()) {
    const auto found = listed.find({function.module, function.name});
    ASSERT_NE(found, listed.end()) << function.module << "." << function.name;
    const Json& import = found->second;
    EXPECT_EQ(import["params"].get<std::vector<std::string>>(), names_of(function.signature.params)) << function.name;
    EXPECT_EQ(import["results"].get<std::vector<std::string>>(), names_of(function.signature.results)) << function.name;
    EXPECT_EQ(import["fuel"], function.import.fuel) << function.name;
    EXPECT_EQ(import.value("bytes", false), function.charges_bytes) << function.name;
    EXPECT_EQ(import.value("also", ""), function.also) << function.name;
    EXPECT_EQ(import.value("version", 1U), function.version) << function.name;
    EXPECT_EQ(import.value("permission", ""), function.permission ? name_of(*function.permission) : "")
        << function.name;
    EXPECT_EQ(import.value("deterministic", true), function.deterministic) << function.name;
    EXPECT_FALSE(import["meaning"].get<std::string>().empty()) << function.name;
  }
}

TEST(GuestAbi, ListsExactlyTheErrorNumbers) {
  const Json& errors = abi()["errors"];
  ASSERT_EQ(errors.size(), guest_error_rules().size());
  for (std::size_t index = 0; index < errors.size(); ++index) {
    const GuestErrorRule& rule = guest_error_rules()[index];
    EXPECT_EQ(errors[index]["number"], static_cast<std::int32_t>(rule.error));
    EXPECT_EQ(errors[index]["name"], rule.name);
    EXPECT_EQ(errors[index]["meaning"], rule.meaning);
    EXPECT_EQ(name_of(rule.error), rule.name);
  }
}

TEST(GuestAbi, ListsExactlyTheExportsWithAMeaning) {
  const Json& exports = abi()["exports"];
  ASSERT_EQ(exports.size(), hook_exports().size());
  for (std::size_t index = 0; index < exports.size(); ++index) {
    EXPECT_EQ(exports[index]["name"], hook_exports()[index].name);
    EXPECT_EQ(exports[index]["must_be"], hook_exports()[index].must_be);
  }
}

// The header for C and C++ guests and the page for people leave nothing out.
TEST(GuestAbi, IsWholeInTheHeaderAndOnThePage) {
  const std::string header = read_tree("guest/c/petri.h");
  const std::string page = read_tree("docs/reference/guest-abi.md");
  for (const HostFunction& function : builtin_functions()) {
    if (function.module == "wasi_snapshot_preview1") {
      EXPECT_NE(page.find("`" + function.name + "`"), std::string::npos) << function.name;
      continue;
    }
    // The header has no `env`, which is AssemblyScript's.
    EXPECT_NE(function.module == "env"
                  ? 0
                  : header.find("PETRI_IMPORT(\"" + function.module + "\", \"" + function.name + "\")"),
              std::string::npos)
        << function.name;
    EXPECT_NE(page.find("`" + function.name), std::string::npos) << function.name;
  }
  for (const GuestErrorRule& rule : guest_error_rules()) {
    std::string constant =
        "PETRI_ERROR_" + std::string(rule.name) + " = " + std::to_string(static_cast<std::int32_t>(rule.error));
    std::ranges::transform(constant, constant.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
    EXPECT_NE(header.find(constant), std::string::npos) << constant;
    EXPECT_NE(page.find("`" + std::string(rule.name) + "`"), std::string::npos) << rule.name;
  }
}

}  // namespace
}  // namespace petri
