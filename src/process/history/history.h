// The messages of a process since its instance was created, or since an image was made of it, so that its end can be
// repeated.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/instance/instance_image.h"
#include "host/functions/seeded_random.h"
#include "host/host_context.h"
#include "petri/value.h"
#include "process/history/retrace_budget.h"
#include "process/mailbox/message.h"

namespace petri {

// When a message was handled, where time is virtual.
struct VirtualTime {
  std::uint64_t fuel = 0, milliseconds = 0;
};

// A history keeps a few messages, and one too many closes it. Then, and before it is full, it may start again from an
// image of the instance, whose cost the fuel of the messages in between must outweigh; so a process that handles many
// cheap messages pays nothing. Only the thread that has entered the process uses it.
class History {
 public:
  static constexpr std::size_t kEntriesMax = 64;  // messages and answers of the sandbox
  static constexpr std::size_t kBytesMax = std::size_t{16} << 10;

  // One message, as far as a repetition needs it.
  struct Step {
    MessageKind kind = MessageKind::send;
    std::string function;
    std::vector<Value> arguments;
    std::string bytes, sender;
    std::int64_t tag = 0;
    std::uint64_t fuel_used = 0;
    VirtualTime time;
  };
  // The answer of the sandbox when the guest sent, called, spawned, stopped or started a timer.
  struct Answer {
    std::int32_t code = 0;
    std::string reply;
    std::uint64_t fuel = 0;  // that the guest paid for it
  };

  // The state of the instance when the first of the messages came.
  struct Origin {
    std::shared_ptr<const InstanceImage> image;
    SeededRandom::State random{};
  };

  // The bytes are on this account, images on the budget (none: images have no bound); both outlive it.
  explicit History(MemoryAccount& account, RetraceBudget* budget = nullptr) : account_(account), budget_(budget) {}
  ~History() { close(); }
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  // Says whether the history may start again once it is closed.
  enum class Renewable : bool { no, yes };
  // For a new instance, of which nothing has run.
  void start(std::string_view input, Renewable renewable = Renewable::no);
  // For an instance that continues from here. The history stays closed if there is no room for the image.
  void start_from(Origin origin);
  void close();
  bool open() const { return open_; }
  // It is open, or may start again.
  bool watches() const { return open_ || renewable_; }

  // Adds to an open history, and may close it.
  void add(const Message& message, std::uint64_t fuel_used, VirtualTime time = {});
  void add(Answer answer);

  // For a history that watches, after each message. True: an image of so much memory is worth its cost, and should be
  // tried; the next one is worth it once as much fuel is burned again.
  bool wants_image(std::uint64_t fuel_used, std::uint64_t memory_bytes);

  const Origin* origin() const { return origin_.get(); }  // nullptr: it started with the instance
  const std::string& input() const { return kept().input; }
  const std::vector<Step>& messages() const { return kept().messages; }
  const std::vector<Answer>& answers() const { return kept().answers; }

  static Step step_of(const Message& message, std::uint64_t fuel_used, VirtualTime time = {});

 private:
  struct Kept {
    std::string input;
    std::vector<Step> messages;
    std::vector<Answer> answers;
    std::size_t content_bytes = 0;
    std::uint64_t held_bytes = 0;
  };
  const Kept& kept() const;
  // Takes the room for one more entry with so many bytes in it. False: there is none, and the history is closed.
  bool make_room(std::size_t content_bytes);

  bool half_full() const;
  void drop();

  MemoryAccount& account_;
  RetraceBudget* const budget_;
  bool open_ = false;
  bool renewable_ = false;
  std::uint64_t burned_ = 0;  // since an image was last thought of
  std::unique_ptr<Origin> origin_;
  std::unique_ptr<Kept> kept_;  // nullptr: nothing yet, as of most processes of a large population
};

}  // namespace petri
