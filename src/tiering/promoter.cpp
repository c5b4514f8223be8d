#include "tiering/promoter.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "compiling/compile_workers.h"

namespace petri {

Promoter::Promoter(PromoterOptions options, const Clock& clock, CompiledModules& modules)
    : options_(std::move(options)), clock_(clock), modules_(modules) {}

Promoter::~Promoter() {
  std::unique_ptr<LargeThread> small, large;
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    changed_.notify_all();
    small = std::move(small_.thread);
    large = std::move(large_.thread);
  }
  stop_.request_stop();
}

std::uint64_t Promoter::threshold(const ModuleFacts& facts) const {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max() / 2;
  const std::uint64_t bytes = std::max<std::uint64_t>(facts.code_bytes, 1);
  const std::uint64_t for_bytes = options_.fuel_per_byte > kMax / bytes ? kMax : options_.fuel_per_byte * bytes;
  return std::min(options_.fuel, kMax) + for_bytes;
}

Promoter::Watched& Promoter::watched(const ArtifactId& artifact) {
  if (watched_.find(artifact) == nullptr) watched_.insert(artifact, {});
  return *watched_.find(artifact);
}

std::uint64_t Promoter::burned(const ArtifactId& artifact) {
  const MutexLock lock(mutex_);
  const Watched* const known = watched_.find(artifact);
  return known == nullptr ? 0 : known->burned;
}

void Promoter::add_burned(const ArtifactId& artifact, std::uint64_t fuel) {
  const MutexLock lock(mutex_);
  Watched& known = watched(artifact);
  known.burned += std::min(fuel, std::numeric_limits<std::uint64_t>::max() - known.burned);
}

void Promoter::prepare() {
  const MutexLock lock(mutex_);
  start_thread(small_);
  start_thread(large_);
}

Promoter::Side& Promoter::side_for(const Artifact& artifact) {
  return artifact.bytes().size() < CompileWorkers::kSmallBytes ? small_ : large_;
}

PromotionPtr Promoter::promote(const ArtifactPtr& artifact, const BoundImports& imports, const void* client) {
  const MutexLock lock(mutex_);
  Watched& known = watched(artifact->id());
  if (known.promotion != nullptr) return known.promotion;
  Side& side = side_for(*artifact);
  if (known.given_up || unavailable_ || !side.waiting.has_room_for(client) || !start_thread(side)) return nullptr;
  known.promotion = std::make_shared<Promotion>();
  side.waiting.push(client, {.artifact = artifact, .imports = imports, .promotion = known.promotion});
  changed_.notify_all();
  return known.promotion;
}

bool Promoter::has_given_up(const ArtifactId& artifact) {
  const MutexLock lock(mutex_);
  const Watched* const known = watched_.find(artifact);
  return unavailable_ || (known != nullptr && known->given_up);
}

// Without a thread nothing is compiled, and everything stays interpreted.
bool Promoter::start_thread(Side& side) {
  if (side.thread == nullptr) {
    auto thread = LargeThread::start({.name = "petri-promoter"}, [this, &side] { work(side); });
    if (thread) side.thread = std::move(*thread);
  }
  return side.thread != nullptr;
}

void Promoter::work(Side& side) {
  while (auto taken = take(side)) {
    const Clock::TimePoint start = clock_.now();
    compile(taken->job);
    const MutexLock lock(mutex_);
    side.waiting.charge(taken->client, clock_.now() - start);
  }
}

std::optional<FairJobQueue<Promoter::Job>::Taken> Promoter::take(Side& side) {
  const MutexLock lock(mutex_);
  while (side.waiting.empty() && !ending_) changed_.wait(mutex_);
  if (ending_) return std::nullopt;
  return side.waiting.take();
}

Result<CodePtr> Promoter::load(const Job& job) {
  LoadOptions options{.compile = options_.compile, .stop = stop_.get_token()};
  options.compile.time_max = options_.time_max;
  return loadable(*job.artifact).load(Tier::compiled, job.imports, options);
}

// A compilation inside this process cannot be broken off; one that took too long is not used all the same.
void Promoter::compile(const Job& job) {
  const Clock::TimePoint start = clock_.now();
  auto code = load(job);
  if (!code && code.error().code == ErrorCode::host_fault) code = load(job);
  if (!code && code.error().code == ErrorCode::not_found) report_unavailable(code.error());
  const bool in_time = clock_.now() - start <= options_.time_max;
  // Code that the compiler cannot take is loaded by the interpreter, where the candidate is already.
  const bool compiled = code && (*code)->tier() == Tier::compiled;
  finish(job, compiled && in_time ? *std::move(code) : nullptr);
}

void Promoter::report_unavailable(const Error& error) {
  {
    const MutexLock lock(mutex_);
    if (std::exchange(unavailable_, true)) return;
    small_.waiting.clear();
    large_.waiting.clear();
  }
  if (options_.on_unavailable) options_.on_unavailable(error);
}

void Promoter::finish(const Job& job, CodePtr code) {
  if (code != nullptr) {
    modules_.insert({.artifact = job.artifact, .code = code});
    job.promotion->code_ = std::move(code);
    job.promotion->ready_.store(true, std::memory_order_release);
  }
  const bool ready = job.promotion->ready_;
  (ready ? promotions_ : given_up_).fetch_add(1, std::memory_order_relaxed);
  const MutexLock lock(mutex_);
  Watched& known = watched(job.artifact->id());
  known.given_up = !ready;
  // Once among the modules it is found there; when it falls out it may be compiled again.
  known.promotion = nullptr;
}

}  // namespace petri
