// Snapshots and module archives that nobody's petri wrote. The checksum of each fits: anybody can make one.
#include <fmt/format.h>

#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/sha256.h"
#include "sandbox/snapshots/sealed_body.h"
#include "versions/versions_fixture.h"

namespace petri {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr std::string_view kHostileKeeper = R"((module
  (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
  (memory 1)
  (global $count (mut i32) (i32.const 0))
  (func (export "next") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 1)))
    (global.get $count))
  (func (export "later") (result i32) (call $timer (i32.const 3600000) (i64.const 77)))
  (func (export "petri_handle") (result i32) (i32.const 0))))";

// A whole file around any body.
std::string around(std::string_view kind, std::string_view body) {
  std::string bytes = fmt::format("petri.{} 2\n{}", kind, body);
  const auto checksum = sha256({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return bytes.append(checksum.bytes.begin(), checksum.bytes.end());
}

class HostileSnapshot : public VersionsFixture {
 protected:
  Sandbox keeper(std::string id = "a") {
    return create({.id = std::move(id), .modules = {{"keeper", Source::wat(std::string(kHostileKeeper))}}});
  }
  // The result of restoring a good snapshot, changed, in a sandbox of its own and in the one it is of.
  std::string restored(const std::function<void(Json&)>& change) {
    Sandbox sandbox = keeper();
    EXPECT_EQ(ask(sandbox, "later"), 0);
    Json body = *unseal("snapshot", sandbox.snapshot()->to_bytes());
    change(body);
    const auto read = Snapshot::from_bytes(seal("snapshot", body));
    std::string problem = read ? "" : read.error().message;
    if (read) {
      const auto made = runtime_->create_sandbox({.id = "b"}, *read);
      if (!made) problem = made.error().message;
      const auto back = sandbox.restore(*read);
      EXPECT_EQ(back.has_value(), made.has_value());
    }
    EXPECT_EQ(ask(sandbox, "next"), 1) << "the sandbox is as it was";
    EXPECT_TRUE(runtime_->destroy("a"));
    (void)runtime_->destroy("b");
    return problem;
  }
  std::string imported(const std::function<void(Json&)>& change) {
    Sandbox sandbox = keeper();
    Json body = *unseal("module", sandbox.export_module("keeper")->to_bytes());
    change(body);
    EXPECT_TRUE(runtime_->destroy("a"));
    const auto read = ModuleArchive::from_bytes(seal("module", body));
    if (!read) return read.error().message;
    Sandbox other = create({.id = "other", .modules = {{"first", code(1)}}});
    const auto added = other.import_module(*read);
    EXPECT_TRUE(runtime_->destroy("other"));
    return added ? "" : added.error().message;
  }
};

// Nested CBOR ended the host.
TEST_F(HostileSnapshot, OfAnyDepthIsRefusedInOneSentence) {
  for (const std::string_view kind : {"snapshot", "module"}) {
    for (const std::string_view opening :
         {std::string_view("\x81"), std::string_view("\xa1\x61\x61"), std::string_view("\x9f"),
          std::string_view("\x7f"), std::string_view("\x5f"), std::string_view("\xc1"), std::string_view("\xd8\x18")}) {
      std::string body;
      while (body.size() < 500'000) body += opening;
      const std::string bytes = around(kind, body);
      const ErrorCode code =
          kind == "module" ? code_of(ModuleArchive::from_bytes(bytes)) : code_of(Snapshot::from_bytes(bytes));
      EXPECT_TRUE(code == ErrorCode::too_large || code == ErrorCode::parse_failed) << name_of(code);
    }
  }
  const auto refused = Snapshot::from_bytes(around("snapshot", std::string(120'000, '\x81')));
  EXPECT_EQ(refused.error().message, "the snapshot has more than 16 lists and objects within one another");
}

// Metadata, needs and actors had any length: a file of 200 MB put all of it into the sandbox.
TEST_F(HostileSnapshot, WithLongTextsIsRefusedInOneSentence) {
  const std::string long_name(4'097, 'x');
  const auto refused = [this](std::string_view pointer, const Json& with) {
    const std::string why = imported([&](Json& body) { body[Json::json_pointer(std::string(pointer))] = with; });
    EXPECT_EQ(restored([&](Json& body) { body[Json::json_pointer("/modules/0" + std::string(pointer))] = with; }),
              "this is not a whole snapshot of petri's: " + why.substr(why.find(": ") + 2));
    return why.substr(why.find(": ") + 2);
  };
  Json keys = Json::object(), needs = Json::array();
  for (int i = 0; i <= 1'000; ++i) {
    keys["key" + std::to_string(i)] = "";
    needs.push_back({"module" + std::to_string(i), 1, 2});
  }
  EXPECT_EQ(refused("/versions/0/metadata", {{long_name, ""}}),
            "a key of the metadata of a version has 4097 bytes, and 4096 are allowed");
  EXPECT_EQ(refused("/versions/0/metadata", {{"k", std::string(1'048'576, 'x')}}),
            "the metadata of a version has 1048577 bytes, and 1048576 are allowed");
  EXPECT_EQ(refused("/versions/0/metadata", keys), "the metadata of a version has 1001 keys, and 1000 are allowed");
  EXPECT_EQ(refused("/versions/0/needs", Json::array({Json::array({long_name, 1, 2})})),
            "the name of a module that a version needs has 4097 bytes, and 4096 are allowed");
  EXPECT_EQ(refused("/versions/0/needs", needs),
            "the list of modules that a version needs has 1001 names, and 1000 are allowed");
  EXPECT_EQ(refused("/versions/0/renames", Json::array({Json::array({long_name, "a"})})), "a name cannot be one");
  EXPECT_EQ(refused("/switches", Json::array({Json::array({0, 1, 0, 0, long_name})})),
            "the actor of a change has 4097 bytes, and 4096 are allowed");
}

// Names that petri would not read back are not accepted.
TEST_F(HostileSnapshot, HasNoLongerTextsThanCallersMayGive) {
  Sandbox sandbox = keeper();
  const std::string long_name(4'097, 'x');
  const Source next = code(2);
  EXPECT_EQ(sandbox.load("m", next, {.metadata = {{long_name, ""}}}).error().message,
            "a key of the metadata of a version has 4097 bytes, and 4096 are allowed");
  EXPECT_EQ(sandbox.stage("keeper", next, {.needs = {{long_name, {}}}}).error().message,
            "the name of a module that a version needs has 4097 bytes, and 4096 are allowed");
  EXPECT_EQ(sandbox.reload("keeper", next, {.actor = long_name}).error().message,
            "the actor of a change has 4097 bytes, and 4096 are allowed");
  EXPECT_EQ(sandbox.activate("keeper", 1, {.actor = long_name}).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(sandbox.rollback("keeper", 1, {.actor = long_name}).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(sandbox.restore(*sandbox.snapshot(), {.actor = long_name}).error().code, ErrorCode::validation_failed);
}

// An exception left from_bytes() and ended the program around.
TEST_F(HostileSnapshot, OfAnyLengthIsRefusedInOneSentence) {
  for (const char* const major : {"\x5b", "\x7b", "\x9b", "\xbb"}) {
    const std::string body = major + std::string("\x7f\xff\xff\xff\xff\xff\xff\xff\xe0");
    const auto refused = Snapshot::from_bytes(around("snapshot", body));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, HasSubstr("this is not a whole snapshot of petri's: its body "));
    EXPECT_EQ(code_of(ModuleArchive::from_bytes(around("module", body))), ErrorCode::parse_failed);
  }
}

TEST_F(HostileSnapshot, IsRefusedWithoutAPartAndWithAnyOtherInItsPlace) {
  Sandbox sandbox = keeper();
  ask(sandbox, "later");
  const Json good = *unseal("snapshot", sandbox.snapshot()->to_bytes());
  const std::vector<Json> others{nullptr,
                                 true,
                                 -1,
                                 std::numeric_limits<std::uint64_t>::max(),
                                 "text",
                                 Json::binary({1, 2}),
                                 Json::array(),
                                 Json::array({1}),
                                 Json::object(),
                                 Json::array({Json::array({-1, "", "", "", ""})}),
                                 Json::object({{"a", 1}})};
  int tried = 0;
  // Each part of it, however deep, in the place of which each of the others is put.
  std::vector<Json::json_pointer> places{Json::json_pointer()};
  for (std::size_t at = 0; at < places.size(); ++at) {
    const Json& part = good.at(places[at]);
    if (!part.is_structured()) continue;
    for (const auto& [key, value] : part.items())
      places.push_back(part.is_array() ? places[at] / static_cast<std::size_t>(std::stoul(key)) : places[at] / key);
  }
  for (const auto& place : places) {
    for (const Json& other : others) {
      Json changed = good;
      changed[place] = other;
      const auto read = Snapshot::from_bytes(seal("snapshot", changed));
      if (read) {
        EXPECT_FALSE(read->to_bytes().empty());
      } else {
        EXPECT_THAT(read.error().message, HasSubstr("snapshot"));
      }
      ++tried;
    }
  }
  EXPECT_GT(tried, 200);
}

TEST_F(HostileSnapshot, IsRestoredWhereItIsGood) {
  EXPECT_EQ(restored([](Json&) {}), "");
}

TEST_F(HostileSnapshot, BringsNoMoreMessagesThanTheLimitsAllow) {
  EXPECT_EQ(restored([](Json& body) {
              Json& mailbox = body["processes"][0]["mailbox"];
              for (int i = 0; i < 10'001; ++i) mailbox.push_back({1, Json::binary({}), "", 0});
            }),
            "the process keeper of the snapshot has 10001 messages and message_queue_max allows 10000");
  EXPECT_EQ(restored([](Json& body) {
              body["processes"][0]["mailbox"].push_back({1, Json::binary(std::vector<std::uint8_t>(65'537)), "", 0});
            }),
            "the process keeper of the snapshot has 65537 bytes in a message and message_bytes_max allows 65536");
}

// 187 MiB of messages were put into a sandbox of 128 MiB.
TEST_F(HostileSnapshot, BringsNoMoreMessagesThanMemoryAllows) {
  Sandbox sandbox = keeper();
  Json body = *unseal("snapshot", sandbox.snapshot()->to_bytes());
  Json& mailbox = body["processes"][0]["mailbox"];
  for (int i = 0; i < 100; ++i) mailbox.push_back({1, Json::binary(std::vector<std::uint8_t>(60'000)), "", 0});
  const auto read = Snapshot::from_bytes(seal("snapshot", body));
  ASSERT_TRUE(read) << read.error().message;
  const auto made = runtime_->create_sandbox({.id = "b", .limits = {.memory_bytes_max = 4'194'304}}, *read);
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("the messages and timers of the snapshot take 60"));
  EXPECT_THAT(made.error().message, HasSubstr("bytes and memory_bytes_max allows 4194304"));
}

TEST_F(HostileSnapshot, HasSendersWithNamesOfProcesses) {
  EXPECT_THAT(restored([](Json& body) {
                body["processes"][0]["mailbox"].push_back({1, Json::binary({}), std::string(100'000, 'a'), 0});
              }),
              HasSubstr("a name cannot be one"));
}

TEST_F(HostileSnapshot, BringsNoMoreTimersThanTheLimitsAllowAndNoneBeyondAllTime) {
  EXPECT_EQ(restored([](Json& body) {
              Json& timers = body["processes"][0]["timers"];
              for (int i = 0; i < 1'001; ++i) timers.push_back({1'000, 0});
            }),
            "the process keeper of the snapshot has 1002 timers and timers_max allows 1000");
  EXPECT_THAT(restored([](Json& body) { body["processes"][0]["timers"][0][0] = std::uint64_t{1} << 63; }),
              HasSubstr("too large for its place"));
}

TEST_F(HostileSnapshot, BringsNoMessageThatAnybodyWaitsFor) {
  // Each kind there is, though a call that waits is never in a snapshot.
  EXPECT_EQ(restored([](Json& body) {
              for (int kind = 0; kind < 4; ++kind)
                body["processes"][0]["mailbox"].push_back({kind, Json::binary({1}), "nobody", -1});
            }),
            "");
}

TEST_F(HostileSnapshot, HasNamesThatCanBeShown) {
  for (const char* const field : {"address", "module"}) {
    EXPECT_THAT(restored([&](Json& body) { body["processes"][0][field] = "\x1b[31mred"; }),
                HasSubstr("a name cannot be one"));
  }
  EXPECT_THAT(restored([](Json& body) { body["sandbox"] = std::string(10'000, 'a'); }), HasSubstr("a name"));
}

TEST_F(HostileSnapshot, HasEachModuleAndProcessOnce) {
  EXPECT_THAT(restored([](Json& body) { body["modules"].push_back(body["modules"][0]); }),
              HasSubstr("modules are not in order"));
  EXPECT_THAT(restored([](Json& body) { body["processes"].push_back(body["processes"][0]); }),
              HasSubstr("processes are not in order"));
}

TEST_F(HostileSnapshot, HasATreeOfBoundedDepth) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += R"({"children":[)";
  EXPECT_THAT(restored([&](Json& body) { body["tree"] = deep; }), HasSubstr("the tree"));
}

// The table of versions follows where state came from, and would have done so for ever.
TEST_F(HostileSnapshot, OfAModuleHasNoVersionThatComesFromItself) {
  EXPECT_THAT(imported([](Json& body) { body["versions"][0]["before"] = 1; }), HasSubstr("comes from itself"));
  EXPECT_THAT(imported([](Json& body) {
                Json second = body["versions"][0];
                body["total"] = 2;
                second["number"] = 2;
                second["before"] = 1;
                body["versions"].push_back(second);
                body["versions"][0]["before"] = 2;
              }),
              HasSubstr("comes from itself"));
  EXPECT_EQ(imported([](Json& body) { body["versions"][0]["before"] = 7; }), "") << "one that is not kept any more";
}

TEST_F(HostileSnapshot, OfAModuleHasRoomForFurtherVersions) {
  EXPECT_THAT(imported([](Json& body) { body["total"] = std::numeric_limits<std::uint64_t>::max(); }),
              HasSubstr("too large for its place"));
  EXPECT_THAT(imported([](Json& body) {
                for (std::uint64_t number = 2; number <= 1'001; ++number) {
                  Json one = body["versions"][0];
                  one["number"] = number;
                  body["versions"].push_back(one);
                }
                body["total"] = 2'000;
              }),
              HasSubstr("a list has 1001 parts, more than 1000"));
}

TEST_F(HostileSnapshot, OfAModuleHasCodeThatPassesTheGate) {
  EXPECT_THAT(imported([](Json& body) { body["versions"][0]["wasm"] = Json::binary({0, 'a', 's', 'm', 9, 0, 0, 0}); }),
              HasSubstr("the code of a version"));
}

// The source of a version was shown as the file had it: harmless text over other code, or as much of it as one liked.
TEST_F(HostileSnapshot, OfAModuleShowsNoTextThatIsNotItsCodes) {
  const std::string harmless = "(module)";
  const auto put = [](Json& version, std::string_view text) {
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
    const auto hash = sha256(bytes);
    version["text"] = Json::binary({bytes.begin(), bytes.end()});
    version["source"] = Json::binary({hash.bytes.begin(), hash.bytes.end()});
  };
  Sandbox sandbox = keeper();
  const VersionInfo honest = sandbox.versions("keeper")->front();
  EXPECT_EQ(honest.text, kHostileKeeper);
  Json body = *unseal("module", sandbox.export_module("keeper")->to_bytes());
  for (const bool forged : {false, true}) {
    if (forged) put(body["versions"][0], harmless);
    Sandbox other = create({.id = "other", .modules = {{"first", code(1)}}});
    const auto added = other.import_module(*ModuleArchive::from_bytes(seal("module", body)));
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_EQ(added->artifact, honest.artifact);
    EXPECT_EQ(added->language, forged ? "wasm" : "wat");
    EXPECT_EQ(added->text, forged ? "" : honest.text);
    EXPECT_EQ(added->source, forged ? honest.artifact : honest.source);
    EXPECT_TRUE(runtime_->destroy("other"));
  }
  EXPECT_TRUE(runtime_->destroy("a"));
  EXPECT_EQ(
      imported([](Json& module) { module["versions"][0]["source"] = Json::binary(std::vector<std::uint8_t>(32)); }),
      "this is not a whole module of petri's: the hash of a version is not that of its source");
  EXPECT_EQ(imported([](Json& module) { module["versions"][0]["text"] = nullptr; }),
            "this is not a whole module of petri's: the hash of a version is not that of its source");
}

// All of them were loaded, a thousand of 5 MiB each, before those beyond versions_max were let go.
TEST_F(HostileSnapshot, OfAModuleLoadsNoMoreVersionsThanAreKept) {
  Sandbox sandbox = keeper();  // the first version imports a function of timers
  ASSERT_TRUE(sandbox.stage("keeper", code(2)));
  ASSERT_TRUE(sandbox.stage("keeper", code(3)));
  Json body = *unseal("module", sandbox.export_module("keeper")->to_bytes());
  body["active"] = 3;
  const ModuleArchive archive = *ModuleArchive::from_bytes(seal("module", body));
  const auto without_timers = [this](std::string id, std::uint64_t versions_max) {
    return create({.id = std::move(id),
                   .modules = {{"first", code(1)}},
                   .limits = {.versions_max = versions_max},
                   .permissions = Permissions{}});
  };
  EXPECT_EQ(
      without_timers("all", 3).import_module(archive).error().message,
      "the module keeper: the import \"petri\".\"timer\" needs the permission timers, which the guest does not have");
  Sandbox two = without_timers("two", 2);
  const auto added = two.import_module(archive);
  ASSERT_TRUE(added) << added.error().message;
  EXPECT_EQ(two.versions("keeper")->size(), 2U);
}

TEST_F(HostileSnapshot, OfAModuleHasNoLongerTextThanAModuleMayHave) {
  const std::string text = std::string(kHostileKeeper) + std::string(200'000, ' ');
  Sandbox sandbox = create({.id = "a", .modules = {{"keeper", Source::wat(text)}}});
  const ModuleArchive archive = *ModuleArchive::from_bytes(sandbox.export_module("keeper")->to_bytes());
  Sandbox small = create({.id = "b", .modules = {{"first", code(1)}}, .limits = {.module_bytes_max = 65'536}});
  const auto refused = small.import_module(archive);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            fmt::format("the module keeper: the text has {} bytes and module_bytes_max allows 65536", text.size()));
}

TEST_F(HostileSnapshot, WantsNoMoreMemoryThanTheLimitsAllow) {
  const std::string refused = restored([](Json& body) {
    // Little-endian: how many others there are, then pages at least, at most, and now.
    auto& image = body["processes"][0]["image"].get_binary();
    image[4 + 16 + 2] = 1;  // 65,536 pages now
    image[4 + 16] = 0;
    image[4 + 8 + 2] = 1;  // and at most
    image[4 + 8] = 0;
  });
  EXPECT_NE(refused, "");
}

}  // namespace
}  // namespace petri
