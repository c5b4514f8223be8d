// children, start_child, start_instance, stop_child, restart_child, remove_child, tree.
#include <fmt/format.h>

#include "base/text/escape.h"
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

// Acts on the sandbox that the first argument names, with what follows its slash, and shows the children.
template <typename Act>
Result<Answer> change_children(ShellSession& session, const BoundArguments& arguments, Act act) {
  const Address address = Address::parse(arguments.at(0));
  PETRI_TRY(Sandbox sandbox, session.runtime().find(address.sandbox));
  PETRI_TRY(act(sandbox, address.inside));
  return children_answer(sandbox);
}

}  // namespace

Result<Answer> show_children(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const Sandbox sandbox, session.runtime().find(arguments.at(0)));
  return children_answer(sandbox);
}

Result<Answer> start_child(ShellSession& session, const BoundArguments& arguments) {
  PETRI_TRY(const ChildSpec child, child_of(arguments));
  return change_children(session, arguments, [&](Sandbox& sandbox, const std::string& supervisor) {
    return sandbox.start_child(child, supervisor);
  });
}

Result<Answer> start_instance(ShellSession& session, const BoundArguments& arguments) {
  const InstanceSpec instance{.id = arguments.has(1) ? arguments.at(1) : "", .input = arguments.value("--input")};
  return change_children(session, arguments, [&](Sandbox& sandbox, const std::string& supervisor) {
    return sandbox.start_instance(instance, supervisor);
  });
}

Result<Answer> stop_child(ShellSession& session, const BoundArguments& arguments) {
  return change_children(session, arguments,
                         [](Sandbox& sandbox, const std::string& child) { return sandbox.stop_child(child); });
}

Result<Answer> restart_child(ShellSession& session, const BoundArguments& arguments) {
  return change_children(session, arguments,
                         [](Sandbox& sandbox, const std::string& child) { return sandbox.restart_child(child); });
}

Result<Answer> remove_child(ShellSession& session, const BoundArguments& arguments) {
  return change_children(session, arguments,
                         [](Sandbox& sandbox, const std::string& child) { return sandbox.remove_child(child); });
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
