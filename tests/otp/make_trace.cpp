#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <random>

#include "trace.h"

namespace petri::otp {
namespace {

struct Place {
  std::string supervisor;
  std::string address;
  bool process = true;
  bool of_template = false;
};

class TraceMaker {
 public:
  TraceMaker(std::uint64_t seed, std::uint64_t number) : random_(seed * 0x9E3779B97F4A7C15ULL + number) {}

  Trace make(std::uint64_t number) {
    Trace trace{.number = number};
    trace.tree = make_supervisor("", 1);
    learn(trace.tree, "");
    if (one_in(8)) trace.before.push_back(disturbance());
    const std::uint64_t steps = 5 + below(26);
    for (std::uint64_t step = 0; step < steps; ++step) trace.steps.push_back(make_step());
    return trace;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  // One time in `n`.
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <typename T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }
  template <typename T>
  const T& one_of(const std::vector<T>& choices) {
    return choices[below(choices.size())];
  }

  RestartType restart_type() {
    return one_of({RestartType::permanent, RestartType::permanent, RestartType::transient, RestartType::temporary});
  }
  Shutdown shutdown() {
    return one_of({Shutdown(), Shutdown(), Shutdown::infinity(), Shutdown::infinity(), Shutdown::brutal()});
  }
  Crash crash() {
    return one_of({Crash::normal, Crash::shutdown, Crash::shutdown_term, Crash::boom, Crash::boom, Crash::boom,
                   Crash::kill, Crash::kill});
  }

  ChildSpec make_process(std::string id) {
    return {.id = std::move(id), .module = "m", .restart = restart_type(), .shutdown = shutdown()};
  }

  SupervisorSpec make_supervisor(std::string id, std::size_t depth) {
    SupervisorSpec supervisor{.id = std::move(id)};
    supervisor.strategy = one_of({Strategy::one_for_one, Strategy::one_for_all, Strategy::one_for_all,
                                  Strategy::rest_for_one, Strategy::rest_for_one, Strategy::simple_one_for_one});
    supervisor.intensity = one_of({0U, 1U, 1U, 2U, 2U, 3U, 3U, 5U, 10U, 20U, 50U, 50U});
    supervisor.period = std::chrono::seconds(one_of({1, 5, 5, 10, 100}));
    supervisor.restart = restart_type();
    supervisor.shutdown = one_in(5) ? Shutdown::brutal() : Shutdown::infinity();
    if (supervisor.strategy == Strategy::simple_one_for_one) {
      supervisor.children.emplace_back(make_process("t"));
      return supervisor;
    }
    const std::uint64_t count = depth == 1 ? 1 + below(4) : below(5);
    for (std::uint64_t index = 0; index < count; ++index) supervisor.children.push_back(make_child(name(index), depth));
    // When OTP kills a supervisor, those below it live on without a parent for a while, and end in order beside
    // whatever is started next. petri ends all that is below, so such traces have nothing to compare.
    const auto nested = [](const TreeChild& child) { return child.supervisor() != nullptr; };
    if (std::ranges::any_of(supervisor.children, nested)) supervisor.shutdown = Shutdown::infinity();
    return supervisor;
  }

  TreeChild make_child(std::string id, std::size_t depth) {
    if (depth < 3 && one_in(4)) return make_supervisor(std::move(id), depth + 1);
    return make_process(std::move(id));
  }

  static std::string name(std::uint64_t index) { return std::string(1, static_cast<char>('a' + index)); }
  static std::string below_address(const std::string& parent, const std::string& id) {
    return parent.empty() ? id : parent + "/" + id;
  }

  // Every address there is, and some that may come.
  void learn(const SupervisorSpec& supervisor, const std::string& address) {
    supervisors_.push_back(address);
    const bool simple = supervisor.strategy == Strategy::simple_one_for_one;
    if (simple) simple_.push_back(address);
    for (const TreeChild& child : supervisor.children) {
      if (!simple) learn(child, address);
    }
    // One that never comes stands for the children of a template until some are added.
    for (const char* id : simple ? std::vector{"none"} : std::vector{"x", "y"}) {
      places_.push_back({address, below_address(address, id), true, simple});
    }
  }
  void learn(const TreeChild& child, const std::string& parent) {
    const std::string address = below_address(parent, child.id());
    // Children of the spec exist from the start, so they are chosen more often.
    const Place place{parent, address, child.process() != nullptr, false};
    places_.insert(places_.end(), 3, place);
    if (child.supervisor()) learn(*child.supervisor(), address);
  }

  static std::string id_of(const std::string& address) { return address.substr(address.rfind('/') + 1); }

  const Place& any_place() { return one_of(places_); }
  const Place& any_process() {
    const Place* place = &any_place();
    while (!place->process) place = &any_place();
    return *place;
  }
  // A process under this supervisor.
  const Place& process_of(const std::string& supervisor) {
    const Place* place = &any_process();
    while (place->supervisor != supervisor) place = &any_process();
    return *place;
  }

  TraceStep disturbance() {
    const Place& place = any_process();
    if (one_in(2)) return FailStarts{.address = place.address, .count = static_cast<std::uint32_t>(1 + below(4))};
    const bool stop = !place.of_template && one_in(2);
    return CrashDuring{
        .stop = stop, .address = place.address, .victim = process_of(place.supervisor).address, .how = crash()};
  }

  // OTP knows the children of a template by pid. Names that are used once, and stops only while nothing else is going
  // on, make that the same as petri's names.
  Ask ask_template(const Place& place, bool in_burst) {
    Ask ask{.supervisor = place.supervisor, .of_template = true, .id = id_of(place.address)};
    ask.verb = one_of({Verb::add_instance, Verb::add_instance, Verb::stop_one, Verb::restart_one, Verb::remove_one});
    if (in_burst && ask.verb == Verb::stop_one) ask.verb = Verb::add_instance;
    if (ask.verb != Verb::add_instance) return ask;
    ask.id = fmt::format("i{}", instances_++);
    const std::string address = below_address(ask.supervisor, ask.id);
    places_.insert(places_.end(), 3, {ask.supervisor, address, true, true});
    return ask;
  }

  Ask ask(const Place& place, bool in_burst) {
    const bool simple = std::ranges::find(simple_, place.supervisor) != simple_.end();
    if (simple) return ask_template(place, in_burst);
    Ask ask{.supervisor = place.supervisor, .id = id_of(place.address)};
    ask.verb = one_of({Verb::stop_one, Verb::stop_one, Verb::restart_one, Verb::restart_one, Verb::remove_one,
                       Verb::add_child, Verb::add_child});
    if (ask.verb == Verb::add_child) ask.child.emplace_back(make_process(ask.id));
    return ask;
  }

  // Keeps coming back to one child, so that news of it meet while it is stopped, removed or restarted in vain.
  Burst burst() {
    Burst burst{.supervisor = one_of(supervisors_)};
    const Place favourite = process_of(burst.supervisor);
    const std::uint64_t count = 2 + below(5);
    for (std::uint64_t index = 0; index < count; ++index) {
      const Place place = one_in(2) ? favourite : process_of(burst.supervisor);
      burst.items.push_back(burst_item(place));
    }
    return burst;
  }

  BurstItem burst_item(const Place& place) {
    switch (below(8)) {
      case 0:
      case 1:
      case 2: return ask(place, true);
      case 3: return FailStarts{.address = place.address, .count = static_cast<std::uint32_t>(1 + below(3))};
      default: return CrashProcess{.address = place.address, .how = crash()};
    }
  }

  TraceStep make_step() {
    switch (below(16)) {
      case 0:
      case 1: return PassTime{.seconds = one_of({1U, 4U, 5U, 6U, 10U, 11U, 100U, 101U})};
      case 2:
      case 3:
      case 4: return disturbance();
      case 5:
      case 6:
      case 7: return ask(Place(any_place()), false);
      case 8:
      case 9: return burst();
      default: return CrashProcess{.address = any_process().address, .how = crash()};
    }
  }

  std::mt19937_64 random_;
  std::vector<Place> places_;
  std::vector<std::string> supervisors_;
  std::vector<std::string> simple_;
  std::uint64_t instances_ = 0;
};

}  // namespace

Trace make_trace(std::uint64_t seed, std::uint64_t number) { return TraceMaker(seed, number).make(number); }

}  // namespace petri::otp
