// What a process has been given since its instance was created, so that its end can be repeated.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/host_context.h"
#include "petri/value.h"
#include "process/letter.h"

namespace petri {

// Kept for the first messages only: what is beyond closes it, and a process that lives long pays nothing for it. Of the
// thread that has entered the process.
class History {
 public:
  static constexpr std::size_t kEntriesMax = 64;  // messages and answers of the sandbox
  static constexpr std::size_t kBytesMax = std::size_t{16} << 10;

  struct Message {
    MessageKind kind = MessageKind::send;
    std::string function;
    std::vector<Value> arguments;
    std::string bytes, sender;
    std::int64_t tag = 0;
    std::uint64_t fuel_used = 0;
  };
  // What the sandbox answered when the guest sent, called, spawned, stopped or started a timer.
  struct Answer {
    std::int32_t code = 0;
    std::string reply;
    std::uint64_t fuel = 0;  // that the guest paid for it
  };

  // The bytes are on this account, which outlives it.
  explicit History(MemoryAccount& account) : account_(account) {}
  ~History() { close(); }
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  // A new instance, of which nothing has run.
  void start(std::string_view input);
  void close();
  bool open() const { return open_; }

  // Of an open one; each may close it.
  void add(const Letter& letter, std::uint64_t fuel_used);
  void add(Answer answer);

  const std::string& input() const { return kept().input; }
  const std::vector<Message>& messages() const { return kept().messages; }
  const std::vector<Answer>& answers() const { return kept().answers; }

  static Message message_of(const Letter& letter, std::uint64_t fuel_used);

 private:
  struct Kept {
    std::string input;
    std::vector<Message> messages;
    std::vector<Answer> answers;
    std::size_t content_bytes = 0;
    std::uint64_t held_bytes = 0;
  };
  const Kept& kept() const;
  // True: there is room for one more entry with so many bytes in it.
  bool make_room(std::size_t content_bytes);

  MemoryAccount& account_;
  bool open_ = false;
  std::unique_ptr<Kept> kept_;  // none: nothing yet, as of most processes of a large population
};

}  // namespace petri
