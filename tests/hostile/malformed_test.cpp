// Family D: malformed and refused code.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "host/files/temporary_folder.h"
#include "hostile/hostile_code.h"
#include "hostile/numbered_module.h"
#include "hostile/spec_scripts.h"

namespace petri {
namespace {

using ::testing::HasSubstr;
using namespace std::string_literals;

class HostileBytes : public HostileCode {
 protected:
  // A run asks for its function before it links.
  std::string wrong_about(Sandbox& place, const SpecModule& module) {
    if (module.verdict != "assert_unlinkable") {
      return not_refused(place, module.source, {ErrorCode::rejected, ErrorCode::parse_failed});
    }
    SandboxSpec spec = hostile_spec("");
    spec.modules[0].source = module.source;
    const auto created = runtime_->create_sandbox(spec);
    return created ? "a sandbox was made of it"
                   : not_refused(created.error(), {ErrorCode::rejected, ErrorCode::link_error});
  }
  struct Section {
    std::uint8_t id;
    Bytes content;
  };
  static std::uint64_t read_number(const Bytes& bytes, std::size_t& at) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      value |= std::uint64_t{bytes.at(at)} % 128 << shift;
      if (bytes.at(at++) < 128) return value;
    }
  }
  static std::vector<Section> sections_of(const Bytes& bytes) {
    std::vector<Section> all;
    for (std::size_t at = 8; at < bytes.size();) {
      const std::uint8_t id = bytes[at++];
      const std::uint64_t size = read_number(bytes, at);
      const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
      all.push_back({id, Bytes(begin, begin + static_cast<std::ptrdiff_t>(size))});
      at += size;
    }
    return all;
  }
  static void write_section(Bytes& bytes, const Section& section, std::uint64_t size) {
    bytes.push_back(section.id);
    for (; size >= 128; size /= 128) bytes.push_back(static_cast<std::uint8_t>(size | 128));
    bytes.push_back(static_cast<std::uint8_t>(size));
    bytes.insert(bytes.end(), section.content.begin(), section.content.end());
  }
  // One section's size may be said to be another than it is.
  static Source assembled(const std::vector<Section>& sections, std::size_t liar = SIZE_MAX, int lie = 0) {
    Bytes bytes{0, 'a', 's', 'm', 1, 0, 0, 0};
    for (std::size_t i = 0; i < sections.size(); ++i) {
      const std::uint64_t size = sections[i].content.size();
      write_section(bytes, sections[i], i == liar ? size + static_cast<std::uint64_t>(lie) : size);
    }
    return Source::wasm(std::move(bytes));
  }
};

// D01 D09
TEST_P(HostileBytes, AreRefusedWhenTheyAreNoModule) {
  covers("D01 D09");
  Sandbox place = attack("(module)");
  const std::string cases[] = {""s,
                               "\0"s,
                               "\0asm"s,
                               "\0asm\1\0\0"s,
                               "\0asn\1\0\0\0"s,
                               "asm\0\1\0\0\0"s,
                               "\0asm\0\0\0\0"s,
                               "\0asm\2\0\0\0"s,
                               "\x7f"
                               "ELF\2\1\1\0"s,
                               "PK\3\4\x14\0\0\0\x8\0"s,
                               "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"s,
                               "(module)"s,
                               "#!/bin/sh\n"s,
                               "\0asm\1\0\0\0other bytes"s,
                               "\0asm\1\0\0\0\0asm\1\0\0\0"s};
  for (const std::string& bytes : cases) EXPECT_EQ(refused_everywhere(place, Source::wasm(wasm_of_text(bytes))), "");
}

// D02
TEST_P(HostileBytes, AreRefusedWhenTheyAreAPieceOfAModule) {
  covers("D02");
  Sandbox place = attack("(module)");
  for (const std::string_view wat : kTwentyModules) {
    const Bytes whole = wasm_of(wat);
    std::set<std::size_t> ends{8};
    for (Bytes bytes{0, 'a', 's', 'm', 1, 0, 0, 0}; const Section& section : sections_of(whole)) {
      write_section(bytes, section, section.content.size());
      ends.insert(bytes.size());
    }
    for (std::size_t length = 0; length < whole.size(); ++length) {
      if (!is_mine(length)) continue;
      const Bytes piece(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
      // Some that end with a section are modules, without the function that is asked for or with one of its name.
      if (ends.contains(length)) {
        EXPECT_EQ(not_refused(place, Source::wasm(piece),
                              {ErrorCode::rejected, ErrorCode::not_found, ErrorCode::validation_failed}),
                  "")
            << wat;
      } else {
        ASSERT_EQ(not_refused(place, Source::wasm(piece)), "") << length << " bytes of " << wat;
      }
    }
  }
}

// The verdict of a run, as far as both tiers must agree. V9
std::string verdict_text(const Result<Outcome>& result) {
  if (!result) return std::string(name_of(result.error().code)) + " " + result.error().message;
  std::string text = std::string(name_of(result->kind)) + " " + result->cause + " " +
                     std::to_string(result->fuel_used) + " " + std::to_string(result->memory_peak_bytes);
  if (result->trap) text += " " + std::string(name_of(*result->trap));
  for (const Value& value : result->values) text += " " + to_text(value);
  return text;
}

std::string first_difference(Sandbox& place, const Bytes& bytes) {
  const auto verdict_in = [&](Tier tier) {
    const auto result = place.run(Source::wasm(bytes), "f", {1}, {.tier = tier});
    const bool ours = !result && (result.error().code == ErrorCode::engine_fault ||
                                  result.error().code == ErrorCode::host_fault);  // V1
    return (ours ? "our own fault: " : "") + verdict_text(result);
  };
  std::string interpreted = verdict_in(Tier::interpreted);
  if (interpreted.starts_with("our own")) return interpreted;
  if (interpreted.starts_with("rejected")) return what_leaks(interpreted);
  const std::string compiled = verdict_in(Tier::compiled);
  return interpreted == compiled ? "" : interpreted + " and " + compiled;
}

// D03: each seed has other bits, and twenty seeds have them all.
TEST_P(HostileBytes, AreTheSameInBothTiersWhereABitWasChanged) {
  covers("D03");
  Sandbox place = attack("(module)", {.memory_bytes_max = 4 << 20, .fuel_max = 10'000});
  for (std::size_t module = 0; module < 5; ++module) {
    const Bytes whole = wasm_of(kTwentyModules[module]);
    for (std::size_t bit = hostile_seed() % 20; bit < whole.size() * 8; bit += 20) {
      if (!is_mine(bit / 20)) continue;
      Bytes changed = whole;
      changed[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
      ASSERT_EQ(first_difference(place, changed), "") << "bit " << bit << " of module " << module;
    }
  }
}

// D03: bytes changed, removed and doubled at random.
TEST_P(HostileBytes, AreTheSameInBothTiersHoweverTheyWereChanged) {
  covers("D03");
  Sandbox place = attack("(module)", {.memory_bytes_max = 4 << 20, .fuel_max = 10'000});
  std::mt19937_64 random = random_engine();
  for (int i = 0; i < times(200, 20'000); ++i) {
    Bytes bytes = wasm_of(kTwentyModules[random() % kTwentyModules.size()]);
    for (std::uint64_t changes = 1 + random() % 3; changes > 0; --changes) {
      const auto at = bytes.begin() + static_cast<std::ptrdiff_t>(8 + random() % (bytes.size() - 8));
      const std::uint64_t how = random() % 4;
      if (how == 0) bytes.erase(at);
      if (how == 1) bytes.insert(at, static_cast<std::uint8_t>(random()));
      if (how >= 2) *at = static_cast<std::uint8_t>(random());
    }
    ASSERT_EQ(first_difference(place, bytes), "") << "the " << i << "th";
  }
}

// D04
TEST_P(HostileBytes, AreRefusedWhenTheirSectionsAreWrong) {
  covers("D04");
  Sandbox place = attack("(module)");
  for (std::size_t module = 0; module < 5; ++module) {
    std::vector<Section> whole = sections_of(wasm_of(kTwentyModules[module]));
    std::erase_if(whole, [](const Section& section) { return section.id == 0; });  // of those anything may be said
    ASSERT_TRUE(place.run(assembled(whole), "f", {0}));
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (!is_mine(i * 5 + module)) continue;
      std::vector<Section> longer = whole, shorter = whole, twice = whole, swapped = whole;
      longer[i].content.push_back(0);
      shorter[i].content.pop_back();
      twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(i), whole[i]);
      if (i > 0) std::swap(swapped[i - 1], swapped[i]);
      for (const Source& source : {assembled(longer), assembled(shorter), assembled(twice), assembled(whole, i, -1),
                                   assembled(whole, i, 1), assembled(i > 0 ? swapped : twice)}) {
        EXPECT_EQ(not_refused(place, source), "") << "section " << i << " of module " << module;
      }
    }
  }
}

// D05
TEST_P(HostileBytes, AreRefusedWhenANumberHasTooManyBytes) {
  covers("D05");
  Sandbox place = attack("(module)");
  const std::size_t numbers = numbered_module(SIZE_MAX, Spelling::shortest).numbers;
  EXPECT_GT(numbers, 100U);
  const auto shortest = place.run(Source::wasm(numbered_module(SIZE_MAX, Spelling::shortest).bytes), "f", {1});
  EXPECT_EQ(testing::not_error(shortest, ErrorCode::link_error), "");  // a module like others
  for (std::size_t chosen = copy_; chosen < numbers; chosen += copy_count()) {
    for (const Spelling spelling : {Spelling::too_long, Spelling::too_large}) {
      ASSERT_EQ(not_refused(place, Source::wasm(numbered_module(chosen, spelling).bytes)), "") << "number " << chosen;
    }
  }
}

// D06
TEST_P(HostileBytes, AreRefusedWhenFunctionsAndBodiesAreNotAsMany) {
  covers("D06");
  Sandbox place = attack("(module)");
  const Section types{1, {1, 0x60, 0, 0}}, start{8, {0}};
  const auto functions = [](std::uint8_t count) {
    Section section{3, {count}};
    section.content.resize(1U + count);
    return section;
  };
  const auto bodies = [](std::uint8_t count) {
    Section section{10, {count}};
    for (int i = 0; i < count; ++i) section.content.insert(section.content.end(), {2, 0, 0x0b});
    return section;
  };
  EXPECT_EQ(not_refused(place, assembled({types, functions(2), start, bodies(2)}), {ErrorCode::not_found}), "");
  for (const Source& source : {assembled({types, functions(2), bodies(1)}), assembled({types, functions(1), bodies(2)}),
                               assembled({types, functions(1)}), assembled({types, bodies(1)}),
                               assembled({types, functions(1), start, start, bodies(1)})}) {
    EXPECT_EQ(refused_everywhere(place, source), "");
  }
}

// D07: that nobody makes room for what they announce is looked at in engine/tests/refusals.rs.
TEST_P(HostileBytes, AreRefusedWhenALengthIsEnormous) {
  covers("D07");
  Sandbox place = attack("(module)");
  const std::size_t numbers = numbered_module(SIZE_MAX, Spelling::shortest).numbers;
  int lengths = 0;
  for (std::size_t chosen = copy_; chosen < numbers; chosen += copy_count()) {
    const NumberedModule module = numbered_module(chosen, Spelling::enormous);
    if (!module.is_length) continue;
    ++lengths;
    ASSERT_EQ(not_refused(place, Source::wasm(module.bytes)), "") << "number " << chosen;
  }
  if (copy_count() == 1) {
    EXPECT_GT(lengths, 25);
  }
}

// D08: as many as a seed's turn has of them, so that twenty seeds have them all.
TEST_P(HostileBytes, AreRefusedWhereTheSpecificationSaysSo) {
  covers("D08");
  std::string folder;
  std::getline(std::ifstream(PETRI_SPEC_SUITE_FILE), folder);
  ASSERT_TRUE(std::filesystem::is_directory(folder))
      << "\"" << folder
      << "\" does not hold the specification's test scripts; the target spec_suite asks cargo for them";
  Sandbox place = attack("(module)");
  std::size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".wast" || file.path().filename().string().starts_with("simd")) continue;
    std::ostringstream script;
    script << std::ifstream(file.path()).rdbuf();
    for (const SpecModule& module : refused_modules(file.path().filename().string(), script.str())) {
      const bool chosen = count % 20 == hostile_seed() % 20;
      ++count;
      if (!chosen || !is_mine(count / 20)) continue;
      EXPECT_EQ(wrong_about(place, module), "") << module.verdict << " " << module.where;
    }
  }
  EXPECT_GT(count, 2'000U);
}

// D10: this program itself is machine code in the form in which the compiled engine stores it.
TEST_P(HostileBytes, AreNeverTakenForMachineCode) {
  covers("D10");
  Sandbox place = attack("(module)");
  Bytes program(100'000);
  std::ifstream("/proc/self/exe", std::ios::binary).read(reinterpret_cast<char*>(program.data()), 100'000);
  EXPECT_EQ(refused_everywhere(place, Source::wasm(program)), "");
  const TemporaryFolder folder;
  folder.write("code", {reinterpret_cast<const char*>(program.data()), program.size()});
  EXPECT_EQ(not_refused(place, Source::file((folder / "code").string()), {ErrorCode::parse_failed}), "");
}

// D11
TEST_P(HostileBytes, OfATextAreReportedByLineAndColumn) {
  covers("D11");
  Sandbox place = attack("(module)");
  const auto digits = static_cast<std::size_t>(times(1'000'000, 1'000'000));
  for (const std::string& text : {"(module\n  (data \"unterminated"s, "(module (func (export \"\xff\xfe\")))"s,
                                  "(module (func (i32.const " + std::string(digits, '9') + ")))"}) {
    Error error;
    EXPECT_EQ(refused_everywhere(place, Source::wat(text), &error, {ErrorCode::parse_failed}), "");
    EXPECT_NE(error.detail("line"), "") << error.message;
    EXPECT_NE(error.detail("column"), "") << error.message;
    EXPECT_LT(error.message.size(), 1'000U);
  }
  const std::string comments = "(module (func (export \"f\")))" + std::string(digits * 10, ';');
  const auto result = place.run(Source::wat(comments), "f");
  EXPECT_TRUE(result || result.error().code == ErrorCode::module_too_large);
}

// D12 D13 D14 D15 D16 D17
TEST_P(HostileBytes, OfAProposalPetriDoesNotAcceptAreRefusedByItsName) {
  covers("D12 D13 D14 D15 D16 D17");
  Sandbox place = attack("(module)");
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"tail calls", "(module (func $f (export \"f\") (return_call $g)) (func $g (return_call $f)))"},
      {"exceptions", "(module (func (export \"f\") (block $h (try_table (catch_all $h) unreachable))))"},
      {"threads",
       "(module (memory 1 1 shared) (func (export \"f\")"
       " (drop (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1)))))"},
      {"multi-memory", "(module (memory 1) (memory 1))"},
      {"memory64", "(module (memory i64 0x1000000000000))"},
      {"custom page sizes", "(module (memory 1 (pagesize 1)))"},
      {"SIMD", "(module (memory 1) (func (export \"f\") (drop (v128.load (i32.const 65535)))))"},
      {"GC",
       "(module (type $s (struct (field i32)))"
       " (func (export \"f\") (loop (drop (struct.new $s (i32.const 1))) (br 0))))"},
  };
  for (const auto& [name, wat] : cases) {
    Error error;
    EXPECT_EQ(refused_everywhere(place, Source::wat(std::string(wat)), &error), "") << name;
    EXPECT_THAT(error.message, HasSubstr(std::string(name)));
  }
}

PETRI_HOSTILE_IN_BOTH_TIERS(HostileBytes);

}  // namespace
}  // namespace petri
