// Snapshots and modules as bytes. What is read may come from anywhere: every number is checked before it is used.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files/file.h"
#include "base/text/escape.h"
#include "engine/sha256.h"
#include "sandbox/snapshots/sealed_body.h"
#include "sandbox/snapshots/snapshot_data.h"
#include "sandbox/versions/version_texts.h"

namespace petri {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSnapshot = "snapshot", kModule = "module";
constexpr std::uint64_t kModuleBytesMax = std::uint64_t{100} << 20;  // the sandbox it comes into has its own
constexpr std::size_t kNameBytesMax = 4'096;
constexpr std::size_t kVersionsMax = 1'000;                          // as many as the limit versions_max can allow
constexpr std::uint64_t kVersionNumberMax = std::uint64_t{1} << 62;  // there is room for all that come after
constexpr std::uint64_t kTimerMsMax = std::numeric_limits<std::uint32_t>::max();  // what a guest can ask for

Json binary(std::span<const std::uint8_t> bytes) {
  return Json::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

std::uint64_t to_number(WallTime time) { return static_cast<std::uint64_t>(time.time_since_epoch().count()); }

// ---- writing --------------------------------------------------------------------------------------------------

Json write(const StateHints& renames) {
  Json list = Json::array();
  for (const StateRename& rename : renames) list.push_back({rename.from, rename.to});
  return list;
}

Json write(const VersionNeeds& needs) {
  Json list = Json::array();
  for (const auto& [module, range] : needs) list.push_back({module, range.min, range.max});
  return list;
}

Json write(const Version& version) {
  return {{"number", version.number},
          {"wasm", binary(version.artifact->bytes())},
          {"source", binary(version.source.hash.bytes)},
          {"text", version.source.text == nullptr ? Json() : binary(as_bytes(*version.source.text))},
          {"time", to_number(version.time)},
          {"origin", static_cast<int>(version.origin)},
          {"metadata", version.metadata},
          {"needs", write(version.needs)},
          {"before", version.before},
          {"renames", write(version.renames)}};
}

Json write(const SavedModule& module) {
  Json versions = Json::array(), switches = Json::array();
  for (const Version& version : module.versions) versions.push_back(write(version));
  for (const VersionSwitch& one : module.switches) {
    switches.push_back({one.from, one.to, to_number(one.time), static_cast<int>(one.cause), one.actor});
  }
  return {{"name", module.name},
          {"active", module.active},
          {"total", module.total},
          {"versions", std::move(versions)},
          {"switches", std::move(switches)}};
}

Json write(const SavedProcess& process) {
  Json mailbox = Json::array(), timers = Json::array();
  for (const SavedMessage& message : process.mailbox) {
    mailbox.push_back({static_cast<int>(message.kind), binary(as_bytes(message.bytes)), message.sender, message.tag});
  }
  for (const SavedTimer& timer : process.timers) timers.push_back({timer.left_ms, timer.tag});
  Json saved = {
      {"address", process.address}, {"module", process.module},      {"image", binary(process.image->to_bytes())},
      {"random", process.random},   {"mailbox", std::move(mailbox)}, {"timers", std::move(timers)}};
  if (process.image->command_has_run()) saved["command_has_run"] = true;
  return saved;
}

Json write(const SavedChild& saved) {
  return {to_json(SupervisorSpec{.children = {saved.child}}), saved.supervisor, saved.parent};
}

Json write(const SnapshotData& data) {
  Json modules = Json::array(), processes = Json::array(), spawned = Json::array(), added = Json::array();
  for (const SavedModule& module : data.modules) modules.push_back(write(module));
  for (const SavedProcess& process : data.processes) processes.push_back(write(process));
  for (const SavedChild& child : data.spawned) spawned.push_back(write(child));
  for (const SavedChild& child : data.added) added.push_back(write(child));
  return {{"sandbox", data.sandbox},          {"time", to_number(data.time)}, {"tree", to_json(data.tree)},
          {"spawned", std::move(spawned)},    {"added", std::move(added)},    {"modules", std::move(modules)},
          {"processes", std::move(processes)}};
}

// ---- reading --------------------------------------------------------------------------------------------------

// Thrown, within this file, for a value that does not fit.
struct Unfit {
  std::string why;
};

template <typename T>
T required(Result<T> result, std::string_view what) {
  if (!result) throw Unfit{fmt::format("{}: {}", what, result.error().message)};
  return std::move(*result);
}

// Not Json::get(), which takes a negative number for a large one.
std::uint64_t read_number(const Json& value, std::uint64_t max = std::numeric_limits<std::uint64_t>::max()) {
  if (!value.is_number_unsigned()) throw Unfit{"a number is missing"};
  const auto number = value.get<std::uint64_t>();
  if (number > max) throw Unfit{fmt::format("the number {} is too large for its place", number)};
  return number;
}

WallTime read_time(const Json& value) {
  return WallTime(std::chrono::nanoseconds(static_cast<std::int64_t>(read_number(value))));
}

const Json::array_t& read_list(const Json& value, std::size_t size_max = std::numeric_limits<std::size_t>::max()) {
  if (!value.is_array()) throw Unfit{"a list is missing"};
  if (value.size() > size_max) throw Unfit{fmt::format("a list has {} parts, more than {}", value.size(), size_max)};
  return value.get_ref<const Json::array_t&>();
}

template <typename Enum>
Enum read_enum(const Json& value, Enum last) {
  const std::uint64_t number = read_number(value);
  if (number > static_cast<std::uint64_t>(last)) throw Unfit{fmt::format("there is no {} of its kind", number)};
  return static_cast<Enum>(number);
}

void required(const Result<void>& result) {
  if (!result) throw Unfit{result.error().message};
}

// The name of a sandbox, a module or a process: it goes into messages and onto terminals.
std::string read_name(const Json& value) {
  const auto& name = value.get_ref<const std::string&>();
  if (name.size() > kNameBytesMax || escape_text(name) != name) throw Unfit{"a name cannot be one"};
  return name;
}

std::string read_text(const Json& value) {
  const auto& bytes = value.get_binary();
  return {bytes.begin(), bytes.end()};
}

// Facts about the source are shown to people, so they are believed only as far as they can be checked. A text that
// gives other code is left out: either it is forged, or another petri translated it.
SourceFacts read_source(const Json& value, const Artifact& artifact) {
  ArtifactId hash;
  const auto& bytes = value.at("source").get_binary();
  if (bytes.size() != hash.bytes.size()) throw Unfit{"a hash has another size"};
  std::ranges::copy(bytes, hash.bytes.begin());
  const bool has_text = !value.at("text").is_null();
  std::string text = has_text ? read_text(value.at("text")) : std::string();
  if (hash != (has_text ? sha256(as_bytes(text)) : artifact.id())) {
    throw Unfit{"the hash of a version is not that of its source"};
  }
  if (!has_text) return {.hash = hash};
  const auto translated = Artifact::from_wat(text, kModuleBytesMax, ModuleBounds::program);
  if (!translated || (*translated)->id() != artifact.id()) return {.hash = artifact.id()};
  return {.hash = hash, .text = std::make_shared<const std::string>(std::move(text))};
}

Version read_version(const Json& value) {
  Version version{
      .number = read_number(value.at("number")),
      .artifact = required(Artifact::from_wasm(value.at("wasm").get_binary(), kModuleBytesMax, ModuleBounds::program),
                           "the code of a version"),
      .source = {},
      .time = read_time(value.at("time")),
      .origin = read_enum(value.at("origin"), VersionOrigin::copy),
      .metadata = value.at("metadata").get<std::map<std::string, std::string>>(),
      .needs = {},
      .before = read_number(value.at("before")),
      .renames = {}};
  required(check_metadata(version.metadata));
  version.source = read_source(value, *version.artifact);
  for (const Json& need : read_list(value.at("needs"))) {
    version.needs[need.at(0).get<std::string>()] = {read_number(need.at(1)), read_number(need.at(2))};
  }
  required(check_needed_names(version.needs));
  for (const Json& rename : read_list(value.at("renames"), kStateFieldsMax)) {
    version.renames.push_back({read_name(rename.at(0)), read_name(rename.at(1))});
  }
  return version;
}

// Where each version's state came from: the table follows that to its end, so it must have one.
void check_origins(const std::vector<Version>& versions) {
  std::map<std::uint64_t, std::uint64_t> before;
  for (const Version& version : versions) before[version.number] = version.before;
  std::set<std::uint64_t> known;  // those that lead to an end
  for (const Version& version : versions) {
    std::set<std::uint64_t> way;
    for (auto next = before.find(version.number); next != before.end() && !known.contains(next->first);
         next = before.find(next->second)) {
      if (!way.insert(next->first).second) throw Unfit{"a version comes from itself"};
    }
    known.merge(way);
  }
}

SavedModule read_module(const Json& value) {
  SavedModule module{.name = read_name(value.at("name")),
                     .active = read_number(value.at("active")),
                     .total = read_number(value.at("total"), kVersionNumberMax),
                     .versions = {},
                     .switches = {}};
  std::uint64_t last = 0;
  for (const Json& version : read_list(value.at("versions"), kVersionsMax)) {
    module.versions.push_back(read_version(version));
    const std::uint64_t number = module.versions.back().number;
    if (number <= last || number > module.total) throw Unfit{"the versions of a module are not in order"};
    last = number;
  }
  if (std::ranges::find(module.versions, module.active, &Version::number) == module.versions.end()) {
    throw Unfit{"the active version of a module is missing"};
  }
  check_origins(module.versions);
  for (const Json& one : read_list(value.at("switches"), kSwitchesKept)) {
    module.switches.push_back({.from = read_number(one.at(0)),
                               .to = read_number(one.at(1)),
                               .time = read_time(one.at(2)),
                               .cause = read_enum(one.at(3), SwitchCause::restore),
                               .actor = one.at(4).get<std::string>()});
    required(check_actor(module.switches.back().actor));
  }
  return module;
}

SavedProcess read_process(const Json& value) {
  SavedProcess process{.address = read_name(value.at("address")),
                       .module = read_name(value.at("module")),
                       .image = nullptr,
                       .random = value.at("random").get<SeededRandom::State>(),
                       .mailbox = {},
                       .timers = {}};
  InstanceImage image = required(InstanceImage::from_bytes(value.at("image").get_binary()), "what a process knew");
  image.set_command_has_run(value.value("command_has_run", false));
  process.image = std::make_shared<const InstanceImage>(std::move(image));
  for (const Json& message : read_list(value.at("mailbox"))) {
    process.mailbox.push_back({.kind = read_enum(message.at(0), MessageKind::child_exit),
                               .bytes = read_text(message.at(1)),
                               .sender = read_name(message.at(2)),
                               .tag = message.at(3).get<std::int64_t>()});
  }
  for (const Json& timer : read_list(value.at("timers"))) {
    process.timers.push_back({read_number(timer.at(0), kTimerMsMax), timer.at(1).get<std::int64_t>()});
  }
  return process;
}

// Before there were parents it was only the text of the child.
SavedChild read_child(const Json& value) {
  const bool alone = value.is_string();
  SupervisorSpec one = required(parse_tree((alone ? value : value.at(0)).get<std::string>()), "a child");
  if (one.children.size() != 1) throw Unfit{"a child is not one"};
  if (alone) return {.child = std::move(one.children.front()), .supervisor = {}, .parent = {}};
  return {
      .child = std::move(one.children.front()), .supervisor = read_name(value.at(1)), .parent = read_name(value.at(2))};
}

std::shared_ptr<const SnapshotData> read_data(const Json& value) {
  auto data = std::make_shared<SnapshotData>();
  data->sandbox = read_name(value.at("sandbox"));
  data->time = read_time(value.at("time"));
  data->tree = required(parse_tree(value.at("tree").get<std::string>()), "the tree");
  for (const Json& child : read_list(value.at("spawned"))) data->spawned.push_back(read_child(child));
  if (value.contains("added")) {
    for (const Json& child : read_list(value.at("added"))) data->added.push_back(read_child(child));
  }
  for (const Json& module : read_list(value.at("modules"))) {
    data->modules.push_back(read_module(module));
    const auto& all = data->modules;
    if (all.size() > 1 && all[all.size() - 2].name >= all.back().name) throw Unfit{"modules are not in order"};
  }
  for (const Json& process : read_list(value.at("processes"))) {
    data->processes.push_back(read_process(process));
    const auto& all = data->processes;
    if (all.size() > 1 && all[all.size() - 2].address >= all.back().address) throw Unfit{"processes are not in order"};
  }
  return data;
}

// ---- around it ------------------------------------------------------------------------------------------------

// The body, read by `read`, which throws what does not fit.
template <typename Read>
auto read_sealed(std::string_view kind, std::string_view bytes, Read read) -> Result<decltype(read(Json()))> {
  PETRI_TRY(const Json body, unseal(kind, bytes));
  try {
    return read(body);
  } catch (const Json::exception&) {
    return not_whole(kind, "a part of it is missing or of another kind than it should be");
  } catch (const Unfit& unfit) {
    return not_whole(kind, unfit.why);
  }
}

}  // namespace

SnapshotInfo Snapshot::info() const {
  SnapshotInfo info{.sandbox = data_->sandbox, .time = data_->time, .modules = {}, .processes = {}};
  for (const SavedModule& module : data_->modules) info.modules.push_back(module.name);
  for (const SavedProcess& process : data_->processes) {
    info.processes.push_back(process.address);
    info.messages += process.mailbox.size();
    info.timers += process.timers.size();
    info.bytes += process.image->bytes_kept();
  }
  return info;
}

std::vector<ArtifactPtr> Snapshot::code() const {
  std::vector<ArtifactPtr> code;
  for (const SavedModule& module : data_->modules) {
    code.push_back(module.active_version().artifact);
  }
  return code;
}

std::string Snapshot::to_bytes() const { return seal(kSnapshot, petri::write(*data_)); }

Result<Snapshot> Snapshot::from_bytes(std::string_view bytes) {
  PETRI_TRY(auto data, read_sealed(kSnapshot, bytes, read_data));
  return Snapshot(std::move(data));
}

std::string ModuleArchive::to_bytes() const { return seal(kModule, petri::write(*data_)); }

Result<ModuleArchive> ModuleArchive::from_bytes(std::string_view bytes) {
  PETRI_TRY(SavedModule module, read_sealed(kModule, bytes, read_module));
  return ModuleArchive(std::make_shared<const SavedModule>(std::move(module)));
}

Result<void> Snapshot::write(const std::string& path) const { return write_file(path, to_bytes()); }

Result<Snapshot> Snapshot::read(const std::string& path) {
  PETRI_TRY(const std::string bytes, read_file(path, kSealedBytesMax));
  return from_bytes(bytes);
}

}  // namespace petri
