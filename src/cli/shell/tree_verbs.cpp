// children, start_child, stop_child, tree.
#include <fmt/format.h>

#include "base/escape.h"
#include "cli/shell/sandbox_json.h"
#include "cli/shell/sandbox_text.h"
#include "cli/shell/verb_handlers.h"
#include "cli/shell/verb_values.h"

namespace petri::cli {
namespace {

Result<ChildSpec> child_of(const BoundArguments& arguments) {
  ChildSpec child{.id = arguments.at(1), .module = arguments.at(2), .input = arguments.value("--input").value_or("")};
  if (const auto name = arguments.value("--restart")) {
    const auto type = restart_type_named(*name);
    if (!type) return no_such("kind of restart", *name, {"permanent", "transient", "temporary"});
    child.restart = *type;
  }
  if (const auto text = arguments.value("--shutdown")) {
    PETRI_TRY(child.shutdown, Shutdown::parse(*text));
  }
  return child;
}

Answer children_answer(const Sandbox& sandbox) {
  const std::vector<ChildInfo> children = sandbox.children();
  Answer answer{.text = to_text(children)};
  answer.json["children"] = to_json(children);
  return answer;
}

}  // namespace

Result<Answer> show_children(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const Sandbox sandbox, session.runtime().find(arguments.at(0)));
  return children_answer(sandbox);
}

Result<Answer> start_child(ShellSession& session, const BoundArguments& arguments) {
  const Address address = Address::parse(arguments.at(0));
  PETRI_TRY(Sandbox sandbox, session.runtime().find(address.sandbox));
  PETRI_TRY(const ChildSpec child, child_of(arguments));
  PETRI_TRY(sandbox.start_child(child, address.inside));
  return children_answer(sandbox);
}

Result<Answer> stop_child(ShellSession& session, const BoundArguments& arguments) {
  const Address address = Address::parse(arguments.at(0));
  PETRI_TRY(Sandbox sandbox, session.runtime().find(address.sandbox));
  PETRI_TRY(sandbox.stop_child(address.inside));
  return children_answer(sandbox);
}

Result<Answer> show_or_change_tree(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(Sandbox sandbox, session.runtime().find(arguments.at(0)));
  if (arguments.has(1)) {
    PETRI_TRY(const SupervisorSpec tree, parse_tree(arguments.at(1)));
    PETRI_TRY(sandbox.update_tree(tree));
  }
  const std::string tree = petri::to_json(sandbox.info().tree);
  Answer answer{.text = tree + "\n"};
  answer.json["tree"] = Json::parse(tree);
  return answer;
}

}  // namespace petri::cli
