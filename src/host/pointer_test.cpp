// E07: every host function with pointers and lengths that mean harm.
#include <algorithm>

#include "host/files/temporary_folder.h"
#include "host/host_function_fixture.h"
#include "host/wasi/state.h"

namespace petri {
namespace {

constexpr std::uint32_t kMemory = 131'072;

// 200 pairs: around the end, past it, around 2^31 and 2^32, zero, odd.
std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs() {
  const std::uint32_t pointers[] = {0,           1,           7,           kMemory - 9, kMemory - 8,
                                    kMemory - 1, kMemory,     kMemory + 1, 0x7fff'ffff, 0x8000'0000,
                                    0xffff'0000, 0xffff'fff8, 0xffff'fffe, 0xffff'ffff};
  const std::uint32_t lengths[] = {0,           1,           3,           8,           9,
                                   kMemory - 1, kMemory,     kMemory + 1, 0x7fff'ffff, 0x8000'0000,
                                   0xffff'0000, 0xffff'fff9, 0xffff'ffff, 64,          4'096};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
  for (const std::uint32_t pointer : pointers) {
    for (const std::uint32_t length : lengths) all.emplace_back(pointer, length);
  }
  return all;
}

class HostilePointers : public HostFunctionFixture {
 protected:
  HostilePointers() {
    settings_.folder = *Folder::open(temporary_.path().string(), settings_.limits);
    settings_.deterministic = true;  // a wait that is asked for takes no time
    settings_.program_arguments = &arguments_;
    settings_.environment = &environment_;
    temporary_.write("file", "content");
  }

  const std::vector<std::string> arguments_{"program", "argument"};
  const std::map<std::string, std::string> environment_{{"NAME", "value"}};

  void restart(std::uint8_t content) {
    guest_->begin({.fuel = kFuel}, "some input");
    ASSERT_EQ(guest_->instantiate(*code_, Initialize::yes)->kind, EndKind::returned);
    std::ranges::fill(memory(), content);
  }

  // The pair goes round through the parameters, beside the number of a descriptor that is open.
  void try_pairs(std::uint32_t export_number, const ExportView& view, std::uint8_t content) {
    restart(content);
    for (const auto& [pointer, length] : pairs()) {
      for (std::size_t shift = 0; shift < 3; ++shift) {
        const std::uint64_t choices[] = {3, pointer, length};
        std::vector<std::uint64_t> slots(std::max(view.signature.params.size(), view.signature.results.size()));
        for (std::size_t index = 0; index < view.signature.params.size(); ++index)
          slots[index] = choices[(index + shift) % 3];
        const auto end = guest_->call(export_number, slots);
        ASSERT_TRUE(end) << view.name << ": " << end.error().message;
        ASSERT_TRUE(end->kind == EndKind::returned || end->kind == EndKind::out_of_fuel)
            << view.name << " " << pointer << " " << length;
        if (end->kind == EndKind::out_of_fuel) restart(content);
      }
    }
  }

  bool lies_inside(std::uint64_t pointer, std::uint64_t length) const { return pointer + length <= kMemory; }

  TemporaryFolder temporary_;
};

// Never a trap, never anything but an answer; and the guest can still be called afterwards.
TEST_P(HostilePointers, OfEveryFunctionGetAnAnswer) {
  start("some input");
  const LoadableArtifact& module = loadable(*artifact_);
  for (std::uint32_t export_number = 0; export_number < module.facts().exports; ++export_number) {
    const ExportView view = module.export_at(export_number);
    const bool ends = view.name == "petri.exit" || view.name == "wasi.proc_exit";
    if (view.kind != ExternKind::function || ends || view.name.starts_with("math.")) continue;
    for (const int content : {0, int{'x'}, 0xff}) try_pairs(export_number, view, static_cast<std::uint8_t>(content));
  }
  EXPECT_EQ(temporary_.read("file"), "content");
}

TEST_P(HostilePointers, AreRefusedExactlyWhereTheyLieOutside) {
  start("some input");
  const auto out_of_bounds = static_cast<std::int32_t>(GuestError::out_of_bounds);
  for (const auto& [pointer, length] : pairs()) {
    guest_->begin({.fuel = kFuel}, "some input");
    const bool good = lies_inside(pointer, length);
    EXPECT_EQ(call("petri.input_read", {pointer, 0, length}) == out_of_bounds, !good) << pointer << " " << length;
    EXPECT_EQ(call("petri.output_write", {pointer, length}) == out_of_bounds, !good) << pointer << " " << length;
    EXPECT_EQ(call("petri.log", {0, pointer, length}) == out_of_bounds, !good) << pointer << " " << length;
    EXPECT_EQ(wasi("random_get", {pointer, length}) == static_cast<int>(WasiErrno::fault), !good)
        << pointer << " " << length;
    EXPECT_EQ(wasi("clock_time_get", {0, 0, pointer}) == static_cast<int>(WasiErrno::fault), !lies_inside(pointer, 8));
    EXPECT_EQ(wasi("fd_filestat_get", {1, pointer}) == static_cast<int>(WasiErrno::fault), !lies_inside(pointer, 64));
  }
}

// The buffers of a list are looked at before the first of them is written to.
TEST_P(HostilePointers, InAListSpoilAllOfIt) {
  start("some input");
  put_buffer(1'000, 2'000, 4);
  put_buffer(1'008, kMemory - 1, 2);
  put(2'000, "keep");
  EXPECT_EQ(wasi("fd_read", {0, 1'000, 2, 3'000}), static_cast<int>(WasiErrno::fault));
  EXPECT_EQ(text(2'000, 4), "keep");
  EXPECT_EQ(wasi("fd_write", {1, 1'000, 2, 3'000}), static_cast<int>(WasiErrno::fault));
  EXPECT_EQ(context_->output.text(), "");
  EXPECT_EQ(wasi("fd_read", {0, 1'000, 1, kMemory - 3}), static_cast<int>(WasiErrno::fault));
  EXPECT_EQ(text(2'000, 4), "keep");
  EXPECT_EQ(wasi("fd_read", {0, 1'000, 0x2000'0001, 3'000}), static_cast<int>(WasiErrno::inval));
  EXPECT_EQ(wasi("fd_read", {0, 1'000, 1, 3'000}), 0);
  EXPECT_EQ(text(2'000, 4), "some");
}

PETRI_IN_BOTH_TIERS(HostilePointers);

}  // namespace
}  // namespace petri
