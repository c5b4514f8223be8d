// Random interleavings of messages with reload, rollback, restart, fork and destroy. Every process writes down what it
// gets, in its own memory: whatever a change does to it, that is the history of this one instance, and a checker reads
// it.
#include <algorithm>
#include <iostream>
#include <map>
#include <random>

#include "sandboxes/environment.h"
#include "state_guests.h"

namespace petri {
namespace {

// Appends each message, four bytes, to its list, and echoes it; `ready` is what petri_ready answers. All versions lay
// their memory out alike.
Source scribe(int version, int ready = 0) {
  return guest(version, fmt::format(R"({} {} (memory 1)
    (func (export "petri_ready") (result i32) (i32.const {}))
    (func (export "petri_handle") (result i32) (local $end i32)
      (drop (call $read (i32.const 4) (i32.const 0) (i32.const 4)))
      (local.set $end (i32.add (i32.const 16) (i32.shl (i32.load (i32.const 0)) (i32.const 2))))
      (i32.store (local.get $end) (i32.load (i32.const 4)))
      (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (i32.const 1)))
      (drop (call $write (i32.const 4) (i32.const 4)))
      (i32.const 0))
    (func (export "list") (drop (call $write (i32.const 16) (i32.shl (i32.load (i32.const 0)) (i32.const 2))))))",
                                    kInput, kOutput, ready));
}

constexpr std::uint32_t kSenders = 2, kMessages = 12;
using Numbers = std::vector<std::uint32_t>;

std::string numbered_message(std::uint32_t sender, std::uint32_t number) {
  const std::uint32_t word = sender << 16 | number;
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &word, 4);
  return bytes;
}

// The numbers that an instance has written down, by sender.
std::array<Numbers, kSenders> read_list(std::string_view bytes) {
  std::array<Numbers, kSenders> lists;
  for (; bytes.size() >= 4; bytes.remove_prefix(4)) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data(), 4);
    if (word >> 16 < kSenders) lists[word >> 16].push_back(word & 0xffff);
  }
  return lists;
}

// The messages of one sender, as it saw their results itself.
struct Sent {
  Numbers accepted;  // sends that were taken and calls that were answered, in their order
  std::map<std::uint32_t, std::uint64_t> answered;  // calls, and in which epoch
  Numbers cancelled;                                // calls
  std::string wrong;
};

bool is_strictly_increasing(const Numbers& numbers) {
  return std::ranges::adjacent_find(numbers, std::greater_equal()) == numbers.end();
}

class Interleaving {
 public:
  Interleaving(Runtime& runtime, std::uint64_t seed) : runtime_(runtime), seed_(seed), random_(seed) {}

  // The fault, or empty.
  std::string run() {
    SandboxSpec spec{.id = "a", .modules = {{"service", scribe(1)}}};
    spec.tier = tier_under_test_or(Tier::interpreted);
    auto sandbox = runtime_.create_sandbox(std::move(spec));
    if (!sandbox) return sandbox.error().message;
    std::array<std::future<Sent>, kSenders> senders;
    for (std::uint32_t sender = 0; sender < kSenders; ++sender) {
      senders[sender] = std::async(std::launch::async, [=, this] { return send_all(*sandbox, sender); });
    }
    for (int change = 0; change < kChanges && !destroyed_; ++change) change_something(*sandbox);
    for (std::uint32_t sender = 0; sender < kSenders; ++sender) sent_[sender] = senders[sender].get();
    for (const Sent& sent : sent_) wrong_ += sent.wrong;
    if (!destroyed_) check_original(*sandbox);
    for (const std::string& id : forks_) check_fork(id);
    if (!destroyed_ && !runtime_.destroy("a")) complain("it cannot be destroyed");
    if (runtime_.list().total != 0) complain("something is left over");
    return wrong_;
  }
  const std::map<std::string, std::uint64_t>& done() const { return done_; }

 private:
  // ---- those who send

  Sent send_all(Sandbox sandbox, std::uint32_t sender) {
    std::mt19937_64 random(seed_ * kSenders + sender);
    Sent sent;
    for (std::uint32_t number = 0; number < kMessages;) {
      if (random() % 2 == 0) std::this_thread::yield();
      const auto code = random() % 3 == 0 ? call(sandbox, sender, number, sent) : send(sandbox, sender, number, sent);
      if (code == ErrorCode::not_found) break;  // it was destroyed
      // It is being started anew, or is behind.
      const bool again = code == ErrorCode::rejected || code == ErrorCode::queue_full;
      if (!again) ++number;
      if (code && !again && code != ErrorCode::cancelled) sent.wrong += fmt::format("{}; ", name_of(*code));
    }
    return sent;
  }
  static std::optional<ErrorCode> send(Sandbox& sandbox, std::uint32_t sender, std::uint32_t number, Sent& sent) {
    const auto taken = sandbox.send(numbered_message(sender, number));
    if (!taken) return taken.error().code;
    sent.accepted.push_back(number);
    return std::nullopt;
  }
  std::optional<ErrorCode> call(Sandbox& sandbox, std::uint32_t sender, std::uint32_t number, Sent& sent) const {
    const std::uint64_t epoch = epoch_.load();
    const auto answer = sandbox.call("", {}, {.input = numbered_message(sender, number)});
    if (!answer && answer.error().code == ErrorCode::cancelled) sent.cancelled.push_back(number);
    if (!answer) return answer.error().code;
    if (answer->output != numbered_message(sender, number)) sent.wrong += fmt::format("another answer to {}; ", number);
    sent.accepted.push_back(number);
    sent.answered.emplace(number, epoch == epoch_.load() ? epoch : 1);
    return std::nullopt;
  }

  // ---- what is changed

  template <typename T>
  void note(std::string_view change, const Result<T>& result, std::initializer_list<ErrorCode> may_be = {}) {
    const std::string how = result ? "ok" : std::string(name_of(result.error().code));
    ++done_[fmt::format("{} {}", change, how)];
    if (!result && std::ranges::find(may_be, result.error().code) == may_be.end())
      complain(fmt::format("{}: {}", change, result.error().message));
  }
  void change_something(Sandbox& sandbox) {
    for (std::uint64_t pauses = random_() % 20; pauses > 0; --pauses) std::this_thread::yield();
    switch (random_() % 9) {
      case 0:
      case 1: return note("reload", sandbox.reload("service", scribe(static_cast<int>(random_() % 3))));
      case 2: return note("bad reload", sandbox.reload("service", scribe(9, 1)), {ErrorCode::start_failed});
      case 3: return note("rollback", sandbox.rollback("service"), {ErrorCode::version_not_found});
      case 4: return restart_fresh(sandbox);
      case 5: restarted_ = true; return note("restart with state", sandbox.restart({.keep_state = true}));
      case 6:
      case 7: return fork();
      default: return destroy();
    }
  }
  // Odd while it lasts: nobody knows which side of it a call was on.
  void restart_fresh(Sandbox& sandbox) {
    restarted_ = true;
    ++epoch_;
    note("restart", sandbox.restart());
    ++epoch_;
  }
  void fork() {
    forks_.push_back(fmt::format("fork-{}", forks_.size()));
    note("fork", runtime_.fork("a", forks_.back()));
  }
  // A fork if there is one, in the middle of what it does; sometimes the original.
  void destroy() {
    if (forks_.empty() && random_() % 2 != 0) return;
    const std::string id = forks_.empty() ? "a" : forks_.back();
    destroyed_ = forks_.empty();
    if (!forks_.empty()) forks_.pop_back();
    note(destroyed_ ? "destroy" : "destroy of a fork", runtime_.destroy(id));
  }

  // ---- the checker

  void complain(std::string_view what) { wrong_ += fmt::format("{}; ", what); }

  std::array<Numbers, kSenders> list_of(Sandbox& sandbox) {
    const auto list = sandbox.call("list");  // behind all that waits
    if (list) return read_list(list->output);
    complain(fmt::format("{}: {}", sandbox.id(), list.error().message));
    return {};
  }
  void check_one_instance(std::string_view id, const Sent& sent, const Numbers& list) {
    if (!is_strictly_increasing(list)) complain(fmt::format("{}: doubled or out of order", id));
    for (const std::uint32_t number : list) {
      if (std::ranges::find(sent.cancelled, number) != sent.cancelled.end())
        complain(fmt::format("{}: {} was cancelled and done", id, number));
      if (std::ranges::find(sent.accepted, number) == sent.accepted.end())
        complain(fmt::format("{}: nobody sent {}", id, number));
    }
  }
  void check_original(Sandbox& sandbox) {
    const auto lists = list_of(sandbox);
    for (std::uint32_t sender = 0; sender < kSenders; ++sender) {
      const Sent& sent = sent_[sender];
      check_one_instance("a", sent, lists[sender]);
      if (!restarted_ && lists[sender] != sent.accepted) complain("something was lost");
      for (const auto& [number, epoch] : sent.answered) {
        const bool must_be_there = epoch == epoch_.load();
        if (must_be_there && std::ranges::find(lists[sender], number) == lists[sender].end())
          complain(fmt::format("{} was answered and is forgotten", number));
      }
    }
  }
  // It continues with what was sent up to one moment, all of it.
  void check_fork(const std::string& id) {
    auto twin = runtime_.find(id);
    if (!twin) return complain(fmt::format("{} is gone", id));
    const auto lists = list_of(*twin);
    for (std::uint32_t sender = 0; sender < kSenders; ++sender) {
      const Sent& sent = sent_[sender];
      check_one_instance(id, sent, lists[sender]);
      const bool is_prefix = lists[sender].size() <= sent.accepted.size() &&
                             std::equal(lists[sender].begin(), lists[sender].end(), sent.accepted.begin());
      if (!restarted_ && !is_prefix) complain(fmt::format("{} has lost something", id));
    }
    if (!runtime_.destroy(id)) complain(fmt::format("{} cannot be destroyed", id));
  }

  static constexpr int kChanges = 5;
  Runtime& runtime_;
  const std::uint64_t seed_;
  std::mt19937_64 random_;
  std::atomic<std::uint64_t> epoch_{0};  // even; of those in which nothing started again
  std::array<Sent, kSenders> sent_;
  std::vector<std::string> forks_;
  bool restarted_ = false;  // what waited may be lost
  bool destroyed_ = false;
  std::string wrong_;
  std::map<std::string, std::uint64_t> done_;
};

// PETRI_SEED repeats one.
TEST(Interleavings, OfChangesLoseDoubleAndReorderNothing) {
  const bool is_long = count_from_environment("PETRI_LONG", 0) != 0;
  const std::uint64_t first = count_from_environment("PETRI_SEED", is_long ? std::random_device()() : 7);
  const std::uint64_t count = count_from_environment("PETRI_SEED", 0) != 0 ? 1 : (is_long ? 10'000 : 200);
  std::cout << count << " interleavings from seed " << first << '\n';
  const auto runtime = std::move(*Runtime::create(in_tier_under_test({.workers = 4})));
  std::map<std::string, std::uint64_t> done;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Interleaving one(*runtime, seed);
    ASSERT_EQ(one.run(), "") << "seed " << seed;
    for (const auto& [change, times] : one.done()) done[change] += times;
  }
  for (const auto& [change, times] : done) std::cout << change << ": " << times << '\n';
  if (count == 1) return;
  for (const char* change : {"reload ok", "bad reload start_failed", "rollback ok", "restart ok",
                             "restart with state ok", "fork ok", "destroy ok", "destroy of a fork ok"}) {
    EXPECT_GT(done[change], 0U) << change;
  }
}

}  // namespace
}  // namespace petri
