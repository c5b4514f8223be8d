// Everything importable, by module and name.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/host_function.h"
#include "petri/host_functions.h"

namespace petri {

// petri's own functions, in the order of their families. Created once, never freed; any thread.
std::span<const HostFunction> builtin_functions();
// nullptr when petri has no such function.
const HostFunction* find_builtin(std::string_view module, std::string_view name);

// A function of the embedder's: the row and what it calls.
struct EmbeddedFunction {
  HostFunction row;
  HostCallable callable;
  BytesTo bytes_to = BytesTo::allocated;
  std::uint32_t bytes_max = 0;
};

// The table that a user fills before a runtime is created; from then on it is only read.
struct HostFunctions::Impl {
  using Key = std::pair<std::string, std::string>;
  // Keys are compared as views, so that looking one up copies nothing.
  struct Less {
    using is_transparent = void;
    using View = std::pair<std::string_view, std::string_view>;
    bool operator()(const Key& a, const Key& b) const { return a < b; }
    bool operator()(const Key& a, const View& b) const { return View(a.first, a.second) < b; }
    bool operator()(const View& a, const Key& b) const { return a < View(b.first, b.second); }
  };

  std::map<Key, std::shared_ptr<const EmbeddedFunction>, Less> embedded;

  // petri's own function or the embedder's, in `env` the embedder's first; nullptr when there is none. Lives as long as
  // this table or a copy of it.
  const HostFunction* find(std::string_view module, std::string_view name) const;
  // True if all imports of this module name are the host's to offer: `env` is only once the embedder defines some.
  bool has(std::string_view module) const;
};

}  // namespace petri
