#include "host/host_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

#include "base/assert.h"
#include "base/text/escape.h"
#include "host/functions/families.h"
#include "host/guest/guest_writer.h"
#include "host/guest/inside.h"
#include "host/host_call.h"
#include "host/process_port.h"

namespace petri {
namespace {

struct Name {
  std::string_view module;
  std::string_view name;
  bool operator==(const Name&) const = default;
};

struct NameHash {
  std::size_t operator()(const Name& name) const {
    const std::hash<std::string_view> hash;
    return hash(name.module) * 31 + hash(name.name);
  }
};

class BuiltinTable {
 public:
  // Never destroyed: loaded code may point into it for as long as the process lives.
  static const BuiltinTable& instance() {
    static const auto* const table = new BuiltinTable;
    return *table;
  }
  std::span<const HostFunction> all() const { return all_; }
  const HostFunction* find(std::string_view module, std::string_view name) const {
    const auto found = by_name_.find({module, name});
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  BuiltinTable() {
    for (auto* family : {&input_functions, &output_functions, &log_functions, &clock_functions, &random_functions,
                         &exit_functions, &message_functions, &math_functions_offered, &wasi_process_functions,
                         &wasi_clock_functions, &wasi_random_functions, &wasi_stream_functions,
                         &wasi_descriptor_functions, &wasi_path_functions, &wasi_directory_functions,
                         &wasi_link_functions, &wasi_time_functions, &wasi_socket_functions, &abort_functions}) {
      for (HostFunction& function : family()) all_.push_back(std::move(function));
    }
    for (const HostFunction& function : all_) by_name_.emplace(Name{function.module, function.name}, &function);
  }

  std::vector<HostFunction> all_;
  std::unordered_map<Name, const HostFunction*, NameHash> by_name_;
};

std::uint64_t denied_slot(ValueType type) {
  switch (type) {
    case ValueType::i32: return host_callable::to_slot(refused_result<std::int32_t>(GuestError::permission_denied));
    case ValueType::i64: return host_callable::to_slot(refused_result<std::int64_t>(GuestError::permission_denied));
    case ValueType::f32: return host_callable::to_slot(std::numeric_limits<float>::quiet_NaN());
    case ValueType::f64: return host_callable::to_slot(std::numeric_limits<double>::quiet_NaN());
    case ValueType::funcref:
    case ValueType::externref: break;  // of no C++ function
  }
  PETRI_UNREACHABLE();
}

// As for petri's own: a status where the result is an integer. A float is NaN, as if the function had thrown.
void store_denied(const Signature& signature, std::uint64_t* results) {
  for (const ValueType type : signature.results) *results++ = denied_slot(type);
}

Inside::Process process_of(const HostContext& context) {
  if (context.port == nullptr) return {};
  return {.owner = context.port->owner(), .name = context.port->name()};
}

// The bytes of a guest as one call of an embedder's function sees them.
class BytesOfCall final : public host_callable::GuestBytes {
 public:
  // The last arguments say where the answer goes.
  BytesOfCall(HostCall& call, const EmbeddedFunction& function, const std::uint64_t* answer_arguments)
      : call_(call), function_(function), answer_(answer_arguments) {}

  std::expected<std::span<std::uint8_t>, std::int32_t> range(std::uint32_t address, std::uint64_t length) override {
    if (length > function_.bytes_max) return std::unexpected(call_.refuse(GuestError::too_large));
    const auto bytes = call_.list(address, 1, static_cast<std::uint32_t>(length));
    if (!bytes) return std::unexpected(call_.refuse(bytes.error()));
    if (!call_.charge_bytes(length)) return std::unexpected(call_.refuse(GuestError::cancelled));
    return *bytes;
  }

  std::int32_t check_answer(std::size_t structure_bytes) override {
    if (call_.is_allocating() && function_.row.allocates) return call_.refuse(GuestError::not_now);
    return call_.exists(answer(0), answer_bytes(structure_bytes)) ? 0 : call_.refuse(GuestError::out_of_bounds);
  }

  std::int32_t give(std::span<const std::uint8_t> bytes) override {
    if (function_.callable.answer == HostAnswer::structure) return write(answer(0), bytes);
    if (bytes.size() > function_.bytes_max) return call_.refuse(GuestError::too_large);
    return function_.bytes_to == BytesTo::buffer ? give_in_buffer(bytes) : give_allocated(bytes);
  }

 private:
  std::uint32_t answer(std::size_t number) const { return static_cast<std::uint32_t>(answer_[number]); }
  std::uint64_t answer_bytes(std::size_t structure_bytes) const {
    if (function_.callable.answer == HostAnswer::structure) return structure_bytes;
    return function_.bytes_to == BytesTo::buffer ? answer(1) : kPlaceBytes;
  }

  std::int32_t give_in_buffer(std::span<const std::uint8_t> bytes) {
    const auto length = static_cast<std::int32_t>(bytes.size());
    if (bytes.size() > answer(1)) return length;
    const std::int32_t written = write(answer(0), bytes);
    return written == 0 ? length : written;
  }

  std::int32_t give_allocated(std::span<const std::uint8_t> bytes) {
    std::array<std::uint32_t, 2> place{0, static_cast<std::uint32_t>(bytes.size())};
    if (!bytes.empty()) {
      const auto address = call_.allocate(place[1]);
      if (!address) return call_.refuse(address.error());
      place[0] = *address;
      if (const std::int32_t error = write(place[0], bytes); error != 0) return error;
    }
    static_assert(sizeof(place) == kPlaceBytes);
    return write(answer(0), {reinterpret_cast<const std::uint8_t*>(place.data()), sizeof(place)});
  }

  std::int32_t write(std::uint32_t address, std::span<const std::uint8_t> bytes) {
    auto writer = GuestWriter::open(call_, address, bytes.size());
    if (!writer) return call_.refuse(GuestError::out_of_bounds);
    writer->write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return 0;
  }

  static constexpr std::uint64_t kPlaceBytes = 8;  // an address and a length

  HostCall& call_;
  const EmbeddedFunction& function_;
  const std::uint64_t* const answer_;
};

// How many last parameters say where the answer goes.
std::size_t answer_parameters(HostAnswer answer, BytesTo bytes_to) {
  if (answer == HostAnswer::numbers) return 0;
  return answer == HostAnswer::bytes && bytes_to == BytesTo::buffer ? 2 : 1;
}

bool enter_callable(const EmbeddedFunction& function, HostCall& call, const std::uint64_t* arguments,
                    std::uint64_t* results) {
  const HostCallable& callable = function.callable;
  if (callable.call != nullptr) return callable.call(callable.function.get(), arguments, results);
  const std::size_t parameters = function.row.signature.params.size();
  BytesOfCall bytes(call, function, arguments + parameters - answer_parameters(callable.answer, function.bytes_to));
  return callable.call_with_bytes(callable.function.get(), bytes, arguments, results);
}

After call_embedded(void* data, Caller& caller, const std::uint64_t* arguments, std::uint64_t* results) {
  const auto& function = *static_cast<const EmbeddedFunction*>(data);
  if (function.row.permission && !is_permitted(*function.row.permission, caller)) {
    store_denied(function.row.signature, results);
    return After::resume;
  }
  auto& context = *static_cast<HostContext*>(caller.context());
  if (!function.row.deterministic) context.saw_outside = true;
  HostCall call(caller);
  const Inside inside(Inside::What::host_function, process_of(context));
  if (!enter_callable(function, call, arguments, results)) {
    ++context.counts.host_functions_threw;
  }
  // How long it took only its author knows.
  call.look();
  return call.after();
}

std::shared_ptr<const EmbeddedFunction> embed(std::string_view module, std::string_view name, HostCallable callable,
                                              const HostFunctionTraits& traits) {
  auto function = std::make_shared<EmbeddedFunction>();
  function->callable = std::move(callable);
  function->row = {.module = std::string(module),
                   .name = std::string(name),
                   .signature = function->callable.signature,
                   .permission = traits.permission,
                   .deterministic = traits.deterministic,
                   .embedded = true,
                   .allocates = function->callable.answer == HostAnswer::bytes && traits.bytes_to == BytesTo::allocated,
                   .version = traits.version};
  function->bytes_to = traits.bytes_to;
  function->bytes_max = traits.bytes_max;
  function->row.charges_bytes = function->callable.call_with_bytes != nullptr;
  function->row.signature.params.resize(
      function->row.signature.params.size() + answer_parameters(function->callable.answer, traits.bytes_to),
      ValueType::i32);
  function->row.import = {.callback = &call_embedded, .data = function.get(), .fuel = traits.fuel, .intrinsic = 0};
  return function;
}

// The module in which programs of every kind look for what their host has. petri's own function there gives way to the
// embedder's, and other names of the module may be another module's of the sandbox.
bool is_shared(std::string_view module) { return module == "env"; }

// `petri` is ABI 1 for ever and `petri_2` will be its successor: neither is the embedder's to add to.
bool is_reserved(std::string_view module) { return module == "petri" || module.starts_with("petri_"); }

Result<void> check_name(std::string_view module, std::string_view name) {
  if (module.empty() || name.empty()) {
    return fail(ErrorCode::validation_failed, "a host function needs the name of its import module and its own name");
  }
  if (!is_reserved(module)) return {};
  return fail(ErrorCode::validation_failed,
              fmt::format("the import module \"{}\" is petri's own: define functions in a module of another name",
                          escape_text(module, kNameShownBytesMax)));
}

}  // namespace

std::span<const HostFunction> builtin_functions() { return BuiltinTable::instance().all(); }

const HostFunction* find_builtin(std::string_view module, std::string_view name) {
  return BuiltinTable::instance().find(module, name);
}

const HostFunction* HostFunctions::Impl::find(std::string_view module, std::string_view name) const {
  const HostFunction* builtin = find_builtin(module, name);
  if (builtin != nullptr && !is_shared(module)) return builtin;
  const auto found = embedded.find(Less::View(module, name));
  return found == embedded.end() ? builtin : &found->second->row;
}

bool HostFunctions::Impl::has(std::string_view module) const {
  if (!is_shared(module) &&
      std::ranges::find(builtin_functions(), module, &HostFunction::module) != builtin_functions().end())
    return true;
  const auto found = embedded.lower_bound(Less::View(module, {}));
  return found != embedded.end() && found->first.first == module;
}

HostFunctions::HostFunctions() {
  static const auto* const empty = new std::shared_ptr<const Impl>(std::make_shared<Impl>());
  impl_ = *empty;
}

Result<void> HostFunctions::define_callable(std::string_view module, std::string_view name, HostCallable callable,
                                            const HostFunctionTraits& traits) {
  const std::string shown =
      fmt::format("\"{}\".\"{}\"", escape_text(module, kNameShownBytesMax), escape_text(name, kNameShownBytesMax));
  const HostFunction* offered = impl_->find(module, name);
  if (offered != nullptr && (offered->embedded || !is_shared(module))) {
    return fail(ErrorCode::already_exists, fmt::format("the host function {} is defined already", shown));
  }
  PETRI_TRY(check_name(module, name));
  if (traits.bytes_max > kHostBytesMax) {
    return fail(ErrorCode::validation_failed, fmt::format("the bytes_max of {} is {}, and at most {} are allowed",
                                                          shown, traits.bytes_max, kHostBytesMax));
  }
  if (callable.function == nullptr) {
    return fail(ErrorCode::validation_failed, fmt::format("the function given for {} is empty", shown));
  }
  auto next = std::make_shared<Impl>(*impl_);
  next->embedded.emplace(Impl::Key(module, name), embed(module, name, std::move(callable), traits));
  impl_ = std::move(next);
  return {};
}

}  // namespace petri
