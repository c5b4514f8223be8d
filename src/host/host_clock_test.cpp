// Host functions on the guest's clock: what they charge, and that one call alone looks at deadline and kill.
#include <optional>

#include "host/files/folder.h"
#include "host/files/temporary_folder.h"
#include "host/guest/kill_flag.h"
#include "host/host_call.h"
#include "host/host_function_fixture.h"
#include "host/process_port.h"
#include "host/wasi/errno.h"

namespace petri {
namespace {

constexpr std::uint64_t kOps = 1;  // the call itself, beside one local.get for each argument

class HostClock : public HostFunctionFixture {
 protected:
  void grant(std::string_view input = {}) {
    settings_.folder = *Folder::open(temporary_.path().string(), settings_.limits);
    start(input);
  }
  // The deadline is over, and fuel is left for long.
  void be_late(std::string_view input = {}) { guest_->begin({.fuel = kFuel, .deadline_ns = 1}, input); }
  void put_buffers(std::uint32_t list, std::uint32_t count, std::uint32_t address, std::uint32_t length) {
    for (std::uint32_t i = 0; i < count; ++i) put_buffer(list + 8 * i, address, length);
  }

  TemporaryFolder temporary_;
};

TEST_P(HostClock, EachBufferIsPaidFor) {
  start();
  put_buffers(1'024, 1'024, 20'000, 1);
  EXPECT_EQ(wasi("fd_write", {1, 1'024, 1'024, 512}), 0);
  EXPECT_EQ(fuel_, kOps + 4 + 256 + 1'024 + 1'024 / 64);
  EXPECT_EQ(wasi("fd_read", {0, 1'024, 1'024, 512}), 0);
  EXPECT_EQ(fuel_, kOps + 4 + 256 + 1'024 + 1'024 / 64);
}

TEST_P(HostClock, EachLineOfStandardErrorIsPaidForWhoeverTakesIt) {
  for (const bool taken : {false, true}) {
    const HostSettings::OnBytes nobody = [](std::string_view) {};
    settings_.on_stderr = taken ? &nobody : nullptr;
    start();
    put(4'000, "a\n\n\nb");
    put_buffer(1'024, 4'000, 5);
    EXPECT_EQ(wasi("fd_write", {2, 1'024, 1, 512}), 0);
    EXPECT_EQ(fuel_, kOps + 4 + 256 + 1 + 3 * 16);
  }
}

TEST_P(HostClock, PathsArePaidForByTheByte) {
  grant();
  put(2'000, "no/such/file");
  EXPECT_EQ(wasi("path_filestat_get", {3, 0, 2'000, 12, 100}), static_cast<int>(WasiErrno::noent));
  EXPECT_EQ(fuel_, kOps + 5 + 1'024 + 12);
}

TEST_P(HostClock, SubscriptionsArePaidForOneByOne) {
  settings_.deterministic = true;
  start();
  EXPECT_EQ(wasi("poll_oneoff", {1'024, 8'192, 64, 512}), 0);
  EXPECT_EQ(fuel_, kOps + 4 + 256 + 64 + 64 * 32 / 64);
}

// Names that are too long are not read, so that they cost what short ones do.
TEST_P(HostClock, LongNamesAreNotFoundAndCostNothing) {
  start();
  for (const std::uint32_t length : {1'025U, 131'072U}) {
    EXPECT_EQ(call("petri.stop", {0, length}), static_cast<std::int32_t>(GuestError::not_found));
    EXPECT_EQ(fuel_, kOps + 2 + 512);
    EXPECT_EQ(call("petri.send", {0, length, 0, 0}), static_cast<std::int32_t>(GuestError::not_found));
    EXPECT_EQ(fuel_, kOps + 4 + 128);
  }
  EXPECT_EQ(call("petri.stop", {0, 131'073}), static_cast<std::int32_t>(GuestError::out_of_bounds));
}

// The clock is looked at whatever was asked for: the kernel may have taken its time.
TEST_P(HostClock, EveryFunctionThatAsksTheKernelLooksAtTheClock) {
  for (const std::string_view name :
       {"fd_read", "fd_pread", "fd_write", "fd_pwrite", "fd_close", "fd_seek", "fd_filestat_get",
        "fd_filestat_set_size", "fd_sync", "fd_datasync", "fd_readdir", "path_open", "path_filestat_get",
        "path_create_directory", "path_remove_directory", "path_unlink_file", "path_rename"}) {
    grant();
    be_late();
    call_raw("wasi." + std::string(name), {3});
    EXPECT_EQ(last_.kind, EndKind::deadline) << name;
    grant();
    KillFlag kill;
    kill.raise();
    context_->kill = &kill.flag();
    call_raw("wasi." + std::string(name), {3});
    EXPECT_EQ(last_.kind, EndKind::cancelled) << name;
  }
}

TEST_P(HostClock, LongCopiesLookAtTheClock) {
  const std::string long_text(131'072, 'x');
  const auto expect_late = [this, &long_text](std::string_view name, std::initializer_list<std::uint64_t> arguments) {
    start(long_text);
    be_late(long_text);
    context_->reply = long_text;
    call_raw(name, arguments);
    EXPECT_EQ(last_.kind, EndKind::deadline) << name;
  };
  expect_late("petri.input_read", {0, 0, 131'072});
  expect_late("petri.output_write", {0, 131'072});
  expect_late("petri.reply_read", {0, 0, 131'072});
  expect_late("wasi.random_get", {0, 131'072});
}

// The folder is counted and listed on the clock of the guest that wants it, and again by the next one when the first
// has ended.
TEST_P(HostClock, AFolderIsLookedThroughOnTheGuestsClock) {
  settings_.limits.files_max = 202;
  for (int i = 0; i < 200; ++i) std::ofstream(temporary_.path() / ("file-" + std::to_string(i)));
  grant();
  put(2'000, "new");
  be_late();
  call_raw("wasi.path_create_directory", {3, 2'000, 3});
  EXPECT_EQ(last_.kind, EndKind::deadline);
  EXPECT_FALSE(std::filesystem::exists(temporary_.path() / "new"));
  start();
  be_late();
  call_raw("wasi.fd_readdir", {3, 4'096, 4'096, 0, 512});
  EXPECT_EQ(last_.kind, EndKind::deadline);
  start();
  EXPECT_EQ(wasi("fd_readdir", {3, 4'096, 65'536, 0, 512}), 0);
  EXPECT_EQ(number<std::uint32_t>(512), 202U * 24 + 10 * 6 + 90 * 7 + 100 * 8 + 3);
  put(2'000, "new");
  EXPECT_EQ(wasi("path_create_directory", {3, 2'000, 3}), 0);
  put(2'000, "mew");
  EXPECT_EQ(wasi("path_create_directory", {3, 2'000, 3}), 0);
  put(2'000, "few");
  EXPECT_EQ(wasi("path_create_directory", {3, 2'000, 3}), static_cast<int>(WasiErrno::nospc));
}

// The walk that decides whether a folder may be moved down runs on the guest's clock, too.
TEST_P(HostClock, AFolderThatIsMovedIsLookedThroughOnTheGuestsClock) {
  std::filesystem::create_directories(temporary_.path() / "from");
  for (int i = 0; i < 200; ++i) std::ofstream(temporary_.path() / "from" / ("file-" + std::to_string(i)));
  grant();
  put(2'000, "into");
  EXPECT_EQ(wasi("path_create_directory", {3, 2'000, 4}), 0);  // it has been counted
  put(2'000, "from");
  put(2'100, "into/it");
  be_late();
  call_raw("wasi.path_rename", {3, 2'000, 4, 3, 2'100, 7});
  EXPECT_EQ(last_.kind, EndKind::deadline);
  EXPECT_FALSE(std::filesystem::exists(temporary_.path() / "into" / "it"));
  start();
  put(2'000, "from");
  put(2'100, "into/it");
  EXPECT_EQ(wasi("path_rename", {3, 2'000, 4, 3, 2'100, 7}), 0);
  EXPECT_TRUE(std::filesystem::exists(temporary_.path() / "into" / "it" / "file-7"));
}

// The copy is complete, whatever the pieces.
TEST_P(HostClock, LongCopiesAreWhole) {
  std::string long_text;
  for (int i = 0; long_text.size() < 131'072; ++i) long_text += std::to_string(i) + ",";
  long_text.resize(131'072);
  start(long_text);
  EXPECT_EQ(call("petri.input_read", {0, 0, 131'072}), 131'072);
  EXPECT_EQ(fuel_, kOps + 3 + 8 + 2'048);
  EXPECT_EQ(text(0, 131'072), long_text);
  EXPECT_EQ(call("petri.output_write", {0, 131'072}), 131'072);
  EXPECT_EQ(context_->output.text(), long_text);
}

TEST_P(HostClock, FilesAreWrittenAndReadInPieces) {
  settings_.limits.file_bytes_max = settings_.limits.disk_bytes_max = 32 << 20;
  grant();
  put(2'000, "f");
  EXPECT_EQ(wasi("path_open", {3, 0, 2'000, 1, 1, (1U << 1) | (1U << 6), 0, 0, 512}), 0);
  const auto file = number<std::uint32_t>(512);
  for (std::uint32_t i = 0; i < 131'072; i += 4) {
    if (i < 512 || i >= 16'384) put_number(i, i);
  }
  put_buffers(1'024, 100, 65'536, 65'536);  // a hundred times the same bytes
  put_buffer(1'024, 32'768, 3);
  EXPECT_EQ(wasi("fd_pwrite", {file, 1'024, 100, 5, 512}), 0);
  EXPECT_EQ(number<std::uint32_t>(512), 3 + 99 * 65'536);
  EXPECT_EQ(std::filesystem::file_size(temporary_.path() / "f"), 5U + 3 + 99 * 65'536);
  const std::string written = text(65'536, 65'536);
  std::ranges::fill(memory().subspan(65'536), std::uint8_t{0});
  put_buffer(1'024, 32'768, 1);
  put_buffer(1'032, 65'536, 65'536);
  EXPECT_EQ(wasi("fd_pread", {file, 1'024, 2, 5 + 2, 512}), 0);
  EXPECT_EQ(number<std::uint32_t>(512), 65'537U);
  EXPECT_EQ(text(65'536, 65'536), written);
  EXPECT_EQ(wasi("fd_filestat_set_size", {file, 2}), 0);
  EXPECT_EQ(std::filesystem::file_size(temporary_.path() / "f"), 2U);
  EXPECT_EQ(wasi("fd_sync", {file}), 0);
  EXPECT_EQ(wasi("fd_datasync", {file}), 0);
}

PETRI_IN_BOTH_TIERS(HostClock);

// Is sent messages, and ends the guest before it copies them if it is told to.
class CopyingPort final : public ProcessPort {
 public:
  std::string_view name() const override { return "copies"; }
  MessageHead message() const override { return {}; }
  std::int32_t send(HostCall& call, std::string_view, std::string_view bytes) override {
    if (ends_) kill_.raise();
    call.context.kill = &kill_.flag();
    copied_ = call.copy(bytes);
    return 0;
  }
  std::int32_t call(HostCall&, std::string_view, std::string_view, std::uint32_t, std::string&) override { return 0; }
  std::int32_t spawn(HostCall&, std::string_view) override { return 0; }
  std::int32_t stop(std::string_view) override { return 0; }
  std::int32_t timer(HostCall&, std::uint32_t, std::int64_t) override { return 0; }
  std::uint64_t next_turn(HostContext&, std::uint64_t) override { return Budget::kNever; }
  void wait_until(std::uint64_t, const std::atomic<std::uint32_t>*) override {}

  bool ends_ = false;
  KillFlag kill_;
  std::optional<std::string> copied_;
};

// Nobody is sent what a guest that has ended wanted to send, nor is it waited for until all of it is copied.
TEST_P(HostClock, AMessageOfAGuestThatWasEndedIsNotCopied) {
  constexpr std::uint32_t kBytes = 131'072;
  for (const bool ends : {false, true}) {
    start();
    CopyingPort port;
    port.ends_ = ends;
    context_->set_port(&port);
    put(kBytes - 4, "last");
    call_raw("petri.send", {0, 1, 0, kBytes});
    EXPECT_EQ(last_.kind, ends ? EndKind::cancelled : EndKind::returned);
    EXPECT_EQ(port.copied_.has_value(), !ends);
    EXPECT_TRUE(port.copied_.value_or("last").ends_with("last"));
    guest_.reset();  // before its port
  }
}

}  // namespace
}  // namespace petri
