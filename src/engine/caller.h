// The guest that called a host function, and how host functions are bound to imports.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/end.h"
#include "petri/result.h"

namespace petri {

class Instance;

// Says if the guest continues once a host function has done its work.
enum class After : std::uint8_t { resume, stop };

// Lives as long as the call of the host function.
class Caller {
 public:
  explicit Caller(void* context) : context_(context) {}
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // As given to Instance::call.
  void* context() const { return context_; }
  // Empty when the guest has none. Look it up again after anything that may let the guest run.
  virtual std::span<std::uint8_t> memory() = 0;
  // Since Instance::call started.
  virtual std::uint64_t fuel_used() = 0;
  // Charges more than the import declares. After::stop: the guest has ended; the host function returns that too.
  virtual After charge(std::uint64_t fuel) = 0;
  // Says how the guest ends; the host function then returns After::stop.
  virtual void stop(EndKind kind, std::int32_t code) = 0;
  // The answer of the guest's own allocator, its export `petri_alloc`, for so many bytes: any number; 0 without one.
  struct Allocated {
    After after = After::resume;  // stop: the guest has ended in it; the host function returns that too
    std::uint32_t address = 0;
  };
  // Not while that very allocator calls the host. An Error is the engine's own; nothing is said of the guest then.
  virtual Result<Allocated> allocate(std::uint32_t bytes) = 0;
  // Calls another instance, which is not being called already, on what the guest has left of its budget, and charges
  // what it uses. `slots` as for Instance::call. After any end but `returned` the guest ends likewise: the host
  // function returns After::stop. An Error is the engine's own; nothing is said of the guest then.
  virtual Result<End> call(Instance& callee, std::uint32_t export_index, std::span<std::uint64_t> slots) = 0;

 protected:
  ~Caller() = default;

 private:
  void* context_;
};

// Arguments and results are one 64-bit slot each; i32 and f32 stand in the low half, and the upper half says nothing.
// The declared fuel has been charged. Must not throw.
using HostCallback = After (*)(void* data, Caller& caller, const std::uint64_t* arguments, std::uint64_t* results);

struct HostImport {
  HostCallback callback = nullptr;  // nullptr: the engines' own function, by `intrinsic`
  void* data = nullptr;
  std::uint32_t fuel = 0;  // charged on entry
  std::uint32_t intrinsic = 0;
};

// The functions that an artifact's imports are bound to, one each, in its order. `owner` keeps what they point to alive
// for as long as the loaded code or one of its instances lives.
struct BoundImports {
  std::vector<const HostImport*> functions;
  std::shared_ptr<const void> owner;
};

}  // namespace petri
