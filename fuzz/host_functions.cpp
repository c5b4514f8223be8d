// Every host function, called by a real guest with random numbers, against a model: the answer is one of
// those the function may give, exactly that where it can be known; memory outside the ranges a call states is
// untouched, all of it when the call was refused; and never a trap.
//
// The input is a list of calls: a byte for the function, and for each parameter a byte that says where its number comes
// from. After these come as many random calls derived from the input. The first byte chooses the tier.
#include <filesystem>
#include <random>
#include <string_view>

#include "fuzz/host_session.h"

namespace petri::fuzz {
namespace {

// ---- calls out of bytes ---------------------------------------------------------------------------------------------

constexpr std::uint64_t kNumbers[] = {0,
                                      1,
                                      2,
                                      3,
                                      4,
                                      5,
                                      7,
                                      8,
                                      9,
                                      16,
                                      48,
                                      64,
                                      100,
                                      128,
                                      192,
                                      256,
                                      1'000,
                                      1'008,
                                      2'000,
                                      3'000,
                                      4'000,
                                      kMemory - 64,
                                      kMemory - 9,
                                      kMemory - 8,
                                      kMemory - 4,
                                      kMemory - 1,
                                      kMemory,
                                      kMemory + 1,
                                      0x7fff'ffff,
                                      0x8000'0000,
                                      0xffff'0000,
                                      0xffff'fff8,
                                      0xffff'ffff,
                                      0x1'0000'0000,
                                      0x7fff'ffff'ffff'ffff,
                                      0x8000'0000'0000'0000,
                                      0xffff'ffff'ffff'ffff,
                                      0x7ff8'0000'0000'0001,
                                      0x42,
                                      (1U << 1) | (1U << 6)};

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  std::uint8_t next() {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(bytes_[0]);
    bytes_.remove_prefix(1);
    return byte;
  }
  std::uint64_t wide() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | next();
    return value;
  }

 private:
  std::string_view bytes_;
};

std::uint64_t number_from(std::uint8_t choice, std::uint64_t wide) {
  if (choice < 0xc0) return kNumbers[choice % std::size(kNumbers)];
  return choice < 0xe0 ? wide % (kMemory + 16) : wide;
}

void call_from(Session& session, std::uint8_t function, const auto& next_number) {
  const auto number = static_cast<std::uint32_t>(function % builtin_functions().size());
  std::vector<std::uint64_t> slots;
  for (const ValueType type : builtin_functions()[number].signature.params) {
    const std::uint64_t value = next_number();
    slots.push_back(type == ValueType::i32 || type == ValueType::f32 ? value & 0xffff'ffff : value);
  }
  session.call(number, slots);
}

void play(Session& session, std::string_view input) {
  Bytes bytes(input);
  while (!bytes.empty()) {
    const std::uint8_t function = bytes.next();
    if (function == 0xff) {
      session.put(static_cast<std::uint32_t>(bytes.wide() % kMemory), bytes.wide());
      continue;
    }
    call_from(session, function, [&] {
      const std::uint8_t choice = bytes.next();
      return number_from(choice, choice < 0xc0 ? 0 : bytes.wide());
    });
  }
  std::mt19937_64 random(std::hash<std::string_view>{}(input));
  for (std::size_t i = 0; i < kRandomCalls; ++i) {
    if (random() % 16 == 0) session.put(static_cast<std::uint32_t>(random() % kMemory), random() % (2 * kMemory));
    call_from(session, static_cast<std::uint8_t>(random()),
              [&] { return number_from(static_cast<std::uint8_t>(random()), random()); });
  }
}

void empty_folder(const TemporaryFolder& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    std::filesystem::remove_all(entry.path());
  folder.write("file", "the content of a file");
}

}  // namespace

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (std::size_t function = 0; function < builtin_functions().size(); ++function) {
    std::string input(1, static_cast<char>(function % 2));
    for (int round = 0; round < 4; ++round) {
      input += static_cast<char>(function);
      for (std::size_t i = 0; i < builtin_functions()[function].signature.params.size(); ++i)
        input += static_cast<char>((function * 7 + i * 5 + static_cast<std::size_t>(round) * 11) % 0xc0);
    }
    all.push_back(input);
  }
  return all;
}

}  // namespace petri::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace petri;
  using namespace petri::fuzz;
  static const ArtifactPtr artifact = (prefer_memory_files(), forwarding_guest());
  static const auto linked = link(loadable(*artifact), HostFunctions(), settings_of(TemporaryFolder()).permissions);
  static const CodePtr interpreted = *loadable(*artifact).load(Tier::interpreted, linked->imports);
  static const CodePtr compiled = *loadable(*artifact).load(Tier::compiled, linked->imports);
  static const TemporaryFolder folder;
  if (size == 0) return 0;
  empty_folder(folder);
  Session session(artifact, data[0] % 2 == 0 ? interpreted : compiled, folder);
  play(session, {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
