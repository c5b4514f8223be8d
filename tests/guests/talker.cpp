// A guest that uses all of petri_cpp.h.
#include "petri_cpp.h"

// Names that the table has had itself.
static petri_i32 count, magic, version, entries[2];
PETRI_STATE(PETRI_FIELD(count), PETRI_FIELD(magic), PETRI_FIELD(version), PETRI_LIST(entries));

// Answers with the message and its sender.
PETRI_EXPORT("petri_handle") petri_i32 petri_handle() {
  const petri::Message message = petri::message();
  if (message.kind == PETRI_MESSAGE_TIMER) count += static_cast<petri_i32>(message.tag);
  if (message.bytes == "ask") {
    const petri::Reply reply = petri::call("echo", "hello");
    petri::output(reply ? reply.bytes : "error " + std::to_string(reply.error));
    return 0;
  }
  if (message.bytes == "ask nobody") {
    petri::output(std::to_string(petri::call("nobody", "hello", 100).error));
    return 0;
  }
  if (message.bytes == "wait") return petri::timer(1, 5);
  if (message.bytes == "tell") return petri::send("echo", "wait");
  if (message.bytes == "spawn") return petri::spawn(R"({"id": "child", "module": "talker"})");
  if (message.bytes == "stop") return petri::stop("child");
  petri::output(petri::self() + " got " + message.bytes + " from " + message.sender);
  return 0;
}

PETRI_EXPORT("ticked") petri_i32 ticked() { return count; }

// Random numbers, the log, and the clock.
PETRI_EXPORT("world") petri_i32 world() {
  petri::log_info("information");
  petri::log_warning("warning");
  petri::log_error("error");
  for (int draw = 0; draw < 1000; ++draw) {
    if (petri::random_below(6) > 5) return 1;
    const double fraction = petri::random_fraction();
    if (fraction < 0 || fraction >= 1) return 2;
  }
  if (petri::random_below(0) != 0) return 3;
  return petri::clock_ms() < 0 ? 4 : 0;
}

// Copies the file that the input names, twice, to "copy".
PETRI_EXPORT("twice") petri_i32 twice() {
  const auto bytes = petri::read_file("/" + petri::input());
  if (!bytes) return -1;
  const bool copied = petri::write_file("/copy", *bytes) && petri::append_file("/copy", *bytes);
  return copied ? static_cast<petri_i32>(bytes->size()) : -2;
}
