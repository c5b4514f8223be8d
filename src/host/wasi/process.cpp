// WASI: how a program is started, and how it ends.
#include <optional>

#include "base/heap_bytes.h"
#include "host/functions/families.h"
#include "host/guest/guest_writer.h"
#include "host/wasi/memory.h"

namespace petri {
namespace {

constexpr std::size_t kTextsPerFuel = 16;

// Each is followed by a zero, which is not part of it.
using Texts = std::vector<std::string_view>;

// The program's name is the same wherever it runs, so that its results are: kProgramName of petri/run.h.
constexpr std::string_view kOwnName = "guest";

Texts arguments_of(const HostCall& call) {
  Texts texts{kOwnName};
  const std::vector<std::string>* arguments = call.context.settings().program_arguments;
  if (arguments != nullptr) texts.insert(texts.end(), arguments->begin(), arguments->end());
  return texts;
}

// Made anew for each call, and paid for each time; the guest may be put aside meanwhile, so that many are made at once.
// None: there is no memory left to hold it.
std::optional<std::vector<std::string>> environment_texts(HostCall& call, HeldBytes& held) {
  constexpr std::size_t kOfEach = 2 * (sizeof(std::string) + sizeof(std::string_view));  // of lists that grow
  std::vector<std::string> texts;
  const auto* environment = call.context.settings().environment;
  if (environment == nullptr) return texts;
  Pace pace(call);
  for (const auto& [name, value] : *environment) {
    if (!held.try_add(call.context, heap_block_bytes(name.size() + value.size() + 2) + kOfEach)) return std::nullopt;
    texts.push_back(name + "=" + value);
    if (!call.charge_bytes(texts.back().size()) || !pace.step(texts.back().size())) break;
  }
  return texts;
}

std::uint32_t bytes_of(HostCall& call, const Texts& texts) {
  std::size_t bytes = 0;
  call.charge(texts.size() / kTextsPerFuel);
  for (const std::string_view text : texts) bytes += text.size() + 1;  // bounded: a number each, paid for above
  return static_cast<std::uint32_t>(bytes);
}

WasiErrno write_sizes(HostCall& call, const Texts& texts, std::uint32_t count, std::uint32_t bytes) {
  const auto count_slot = call.structure<4>(count);
  const auto bytes_slot = call.structure<4>(bytes);
  if (!count_slot || !bytes_slot) return refuse(call, WasiErrno::fault);
  store(*count_slot, 0, static_cast<std::uint32_t>(texts.size()));
  store(*bytes_slot, 0, bytes_of(call, texts));
  return WasiErrno::success;
}

// A table of pointers, and the zero-terminated texts they point to.
WasiErrno write_texts(HostCall& call, const Texts& texts, std::uint32_t table, std::uint32_t buffer) {
  auto pointers = GuestWriter::open(call, table, texts.size() * 4);
  auto bytes = GuestWriter::open(call, buffer, bytes_of(call, texts));
  if (!pointers || !bytes) return refuse(call, WasiErrno::fault);
  for (const std::string_view text : texts) {
    const auto pointer = pointers->next(4);
    if (pointer.empty()) break;
    store(pointer, 0, static_cast<std::uint32_t>(buffer + bytes->used()));
    bytes->write({text.data(), text.size() + 1});
  }
  return WasiErrno::success;
}

WasiErrno args_sizes_get(HostCall& call, std::uint32_t count, std::uint32_t bytes) {
  return write_sizes(call, arguments_of(call), count, bytes);
}

WasiErrno args_get(HostCall& call, std::uint32_t table, std::uint32_t buffer) {
  return write_texts(call, arguments_of(call), table, buffer);
}

WasiErrno environ_sizes_get(HostCall& call, std::uint32_t count, std::uint32_t bytes) {
  HeldBytes held;
  const auto texts = environment_texts(call, held);
  if (!texts) return refuse(call, WasiErrno::nomem);
  return write_sizes(call, {texts->begin(), texts->end()}, count, bytes);
}

WasiErrno environ_get(HostCall& call, std::uint32_t table, std::uint32_t buffer) {
  HeldBytes held;
  const auto texts = environment_texts(call, held);
  if (!texts) return refuse(call, WasiErrno::nomem);
  return write_texts(call, {texts->begin(), texts->end()}, table, buffer);
}

void proc_exit(HostCall& call, std::int32_t code) { call.exit(code); }

// There is nobody to yield to: a guest has one thread.
WasiErrno sched_yield(HostCall&) { return WasiErrno::success; }

}  // namespace

HostFamily wasi_process_functions() {
  return {
      host_function<&args_sizes_get>(
          {.module = kWasi, .name = "args_sizes_get", .fuel = 32, .also = "texts / 16", .version = 3}),
      host_function<&args_get>(
          {.module = kWasi, .name = "args_get", .fuel = 64, .charges_bytes = true, .also = "texts / 16", .version = 3}),
      host_function<&environ_sizes_get>({.module = kWasi,
                                         .name = "environ_sizes_get",
                                         .fuel = 64,
                                         .charges_bytes = true,
                                         .also = "texts / 16",
                                         .version = 2}),
      host_function<&environ_get>({.module = kWasi,
                                   .name = "environ_get",
                                   .fuel = 128,
                                   .charges_bytes = true,
                                   .also = "texts / 16",
                                   .version = 2}),
      host_function<&proc_exit>({.module = kWasi, .name = "proc_exit", .fuel = 1}),
      host_function<&sched_yield>({.module = kWasi, .name = "sched_yield", .fuel = 16}),
  };
}

}  // namespace petri
