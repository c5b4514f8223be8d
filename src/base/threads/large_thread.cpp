#include "base/threads/large_thread.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/assert.h"
#include "base/text/units.h"
#include "base/threads/signals_held_back.h"

namespace petri {
namespace {

std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

std::size_t whole_pages(std::size_t bytes) { return (bytes + page_bytes() - 1) / page_bytes() * page_bytes(); }

std::unexpected<Error> no_thread(std::size_t stack_bytes, int why) {
  return fail(ErrorCode::busy,
              fmt::format("the machine gives no thread with a stack of {} (error {}); end other work first",
                          format_bytes(stack_bytes), why));
}

}  // namespace

LargeThread::LargeThread(Options options, std::function<void()> body)
    : options_(std::move(options)), body_(std::move(body)) {}

LargeThread::~LargeThread() {
  if (started_) pthread_join(thread_, nullptr);
  if (stack_ != nullptr) ::munmap(stack_, stack_bytes_);
}

Result<std::unique_ptr<LargeThread>> LargeThread::start(Options options, std::function<void()> body) {
  std::unique_ptr<LargeThread> thread(new LargeThread(std::move(options), std::move(body)));
  PETRI_TRY(thread->map_stack());
  PETRI_TRY(thread->start_thread());
  return thread;
}

Result<void> LargeThread::map_stack() {
  const std::size_t bytes = whole_pages(options_.stack_bytes) + page_bytes();
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  void* stack = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (stack == MAP_FAILED) return no_thread(options_.stack_bytes, errno);
  stack_ = stack;
  stack_bytes_ = bytes;
  // The lowest page guards the end. Huge pages would make every stack cost 2 MiB.
  if (::mprotect(stack_, page_bytes(), PROT_NONE) != 0) return no_thread(options_.stack_bytes, errno);
  ::madvise(stack_, stack_bytes_, MADV_NOHUGEPAGE);
  return {};
}

Result<void> LargeThread::start_thread() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  auto* lowest = static_cast<char*>(stack_) + page_bytes();
  int error = pthread_attr_setstack(&attributes, lowest, stack_bytes_ - page_bytes());
  if (error == 0) {
    const SignalsHeldBack held_back;
    error = pthread_create(&thread_, &attributes, &LargeThread::enter, this);
  }
  pthread_attr_destroy(&attributes);
  if (error != 0) return no_thread(options_.stack_bytes, error);
  started_ = true;
  return {};
}

void* LargeThread::enter(void* self) {
  const auto* thread = static_cast<const LargeThread*>(self);
  pthread_setname_np(pthread_self(), thread->options_.name.substr(0, 15).c_str());
  [&]() noexcept { thread->body_(); }();
  return nullptr;
}

}  // namespace petri
