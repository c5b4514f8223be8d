// WASI: how a program is started, and how it ends.
#include "host/families.h"
#include "host/wasi_memory.h"

namespace petri {
namespace {

const std::vector<std::string>& arguments_of(const HostCall& call) {
  static const std::vector<std::string> none;
  const std::vector<std::string>* arguments = call.context.settings().program_arguments;
  return arguments == nullptr ? none : *arguments;
}

std::vector<std::string> environment_texts(const HostSettings& settings) {
  std::vector<std::string> texts;
  if (settings.environment == nullptr) return texts;
  for (const auto& [name, value] : *settings.environment) texts.push_back(name + "=" + value);
  return texts;
}

std::uint32_t bytes_of(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size() + 1;
  return static_cast<std::uint32_t>(bytes);
}

WasiErrno write_sizes(HostCall& call, const std::vector<std::string>& texts, std::uint32_t count, std::uint32_t bytes) {
  const auto count_slot = call.memory(count, 4);
  const auto bytes_slot = call.memory(bytes, 4);
  if (!count_slot || !bytes_slot) return refuse(call, WasiErrno::fault);
  store(*count_slot, 0, static_cast<std::uint32_t>(texts.size()));
  store(*bytes_slot, 0, bytes_of(texts));
  return WasiErrno::success;
}

// A table of pointers, and the zero-terminated texts they point to.
WasiErrno write_texts(HostCall& call, const std::vector<std::string>& texts, std::uint32_t table,
                      std::uint32_t buffer) {
  const auto pointers = call.memory(table, texts.size() * 4);
  const auto bytes = call.memory(buffer, bytes_of(texts));
  if (!pointers || !bytes) return refuse(call, WasiErrno::fault);
  if (!call.charge_bytes(bytes->size())) return WasiErrno::success;
  std::size_t offset = 0;
  for (std::size_t index = 0; index < texts.size(); ++index) {
    store(*pointers, index * 4, static_cast<std::uint32_t>(buffer + offset));
    std::memcpy(bytes->data() + offset, texts[index].c_str(), texts[index].size() + 1);
    offset += texts[index].size() + 1;
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
  return write_sizes(call, environment_texts(call.context.settings()), count, bytes);
}

WasiErrno environ_get(HostCall& call, std::uint32_t table, std::uint32_t buffer) {
  return write_texts(call, environment_texts(call.context.settings()), table, buffer);
}

void proc_exit(HostCall& call, std::int32_t code) { call.exit(code); }

// There is nobody to yield to: a guest has one thread.
WasiErrno sched_yield(HostCall&) { return WasiErrno::success; }

}  // namespace

HostFamily wasi_process_functions() {
  return {
      host_function<&args_sizes_get>({.module = kWasi, .name = "args_sizes_get", .fuel = 32}),
      host_function<&args_get>({.module = kWasi, .name = "args_get", .fuel = 64, .charges_bytes = true}),
      host_function<&environ_sizes_get>({.module = kWasi, .name = "environ_sizes_get", .fuel = 64}),
      host_function<&environ_get>({.module = kWasi, .name = "environ_get", .fuel = 128, .charges_bytes = true}),
      host_function<&proc_exit>({.module = kWasi, .name = "proc_exit", .fuel = 1}),
      host_function<&sched_yield>({.module = kWasi, .name = "sched_yield", .fuel = 16}),
  };
}

}  // namespace petri
