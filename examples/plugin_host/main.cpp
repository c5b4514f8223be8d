// A shop whose prices are made by plug-ins that nobody reviewed: each lives in a sandbox of its own, one that
// misbehaves is left out of the price, and a plug-in is replaced while the shop is open.
#include <petri/runtime.h>

#include <iostream>

#include "shared/example.h"

namespace plugin_host {
namespace {

using petri::Result;
using petri::Sandbox;

class Shop {
 public:
  Shop(petri::Runtime& runtime, std::string folder) : runtime_(runtime), folder_(std::move(folder)) {}

  // A plug-in that cannot be accepted is no reason to close the shop.
  void install(const std::string& name) {
    auto plugin = runtime_.create_sandbox({.id = name,
                                           .modules = {{"plugin", source(name)}},
                                           .profile = petri::Profile::strict,
                                           .limits = {.fuel_max = 10'000}});
    if (!plugin) return void(std::cout << name << " is refused: " << plugin.error().message << '\n');
    plugins_.push_back(*plugin);
  }

  // The price after all plug-ins, in the order in which they were installed. One that meets a limit is uninstalled,
  // since it would do so again; one that crashes is restarted by its supervisor.
  int price(int cents) {
    for (auto plugin = plugins_.begin(); plugin != plugins_.end();) {
      const auto outcome = plugin->call("price", {cents});
      if (outcome && outcome->kind == petri::OutcomeKind::ok) {
        cents = outcome->values[0].i32();
      } else {
        const std::string why = outcome ? to_text(*outcome) : outcome.error().message;
        std::cout << "  without " << plugin->id() << ": " << why << '\n';
      }
      const bool met_limit = outcome && category_of(*outcome) == petri::ErrorCategory::resource;
      plugin = met_limit ? uninstall(plugin) : std::next(plugin);
    }
    return cents;
  }

  // New code for a plug-in that is at work; what it knows moves to the new code.
  void update(const std::string& name, const std::string& file) {
    auto plugin = runtime_.find(name);
    if (!plugin) return void(std::cout << plugin.error().message << '\n');
    const auto report = plugin->reload("plugin", source(file));
    if (!report) return void(std::cout << file << " is refused: " << report.error().message << '\n');
    std::cout << file << " is now version " << report->to << " of " << name << '\n';
  }

  void show_state(const std::string& name) {
    auto plugin = runtime_.find(name);
    const auto state = plugin ? plugin->state() : petri::fail(plugin.error());
    std::cout << name << " knows " << (state ? to_json(*state) : state.error().message) << '\n';
  }

 private:
  using Place = std::vector<Sandbox>::iterator;

  Place uninstall(Place plugin) {
    std::cout << "  " << plugin->id() << " is uninstalled\n";
    if (const auto gone = runtime_.destroy(plugin->id()); !gone) std::cout << gone.error().message << '\n';
    return plugins_.erase(plugin);
  }

  petri::Source source(const std::string& name) const {
    return petri::Source::file(folder_ + "/plugins/" + name + ".wat");
  }

  petri::Runtime& runtime_;
  std::string folder_;
  std::vector<Sandbox> plugins_;
};

void sell(Shop& shop, int cents) {
  const int price = shop.price(cents);
  std::cout << cents << " cents become " << price << '\n';
}

Result<void> open_shop(const std::vector<std::string>& arguments) {
  PETRI_TRY(const std::string folder, example::folder_of(arguments));
  PETRI_TRY(const auto runtime, petri::Runtime::create({.workers = 1}));
  Shop shop(*runtime, folder);
  for (const char* name : {"discount", "greedy", "spy", "tax"}) shop.install(name);
  for (int article = 0; article < 3; ++article) sell(shop, 1'000);
  shop.update("discount", "discount_2");
  sell(shop, 1'000);
  shop.update("discount", "nothing_here");
  shop.update("discount", "discount_broken");
  sell(shop, 1'000);  // falls back to version 2, with its state
  sell(shop, 1'000);
  shop.show_state("discount");
  return {};
}

}  // namespace
}  // namespace plugin_host

int main(int count, char** words) { return example::run(count, words, plugin_host::open_shop); }
