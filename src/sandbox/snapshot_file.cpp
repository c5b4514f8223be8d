// Snapshots and modules as bytes: a line that names the format, a body in CBOR, a checksum over both.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "engine/sha256.h"
#include "sandbox/snapshot_data.h"

namespace petri {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSnapshot = "snapshot", kModule = "module";
constexpr int kFormat = 2;  // 1 had no modules that are linked with one another
constexpr std::size_t kChecksumBytes = 32;
constexpr std::uint64_t kModuleBytesMax = std::uint64_t{100} << 20;  // the sandbox it comes into has its own
constexpr std::uint64_t kFileBytesMax = std::uint64_t{4} << 30;

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

Json binary(std::span<const std::uint8_t> bytes) {
  return Json::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

std::uint64_t to_number(VersionTime time) { return static_cast<std::uint64_t>(time.time_since_epoch().count()); }
VersionTime to_time(const Json& value) {
  return VersionTime(std::chrono::nanoseconds(static_cast<std::int64_t>(value.get<std::uint64_t>())));
}

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
          {"source", binary(version.source.hash.sha256)},
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
  for (const SavedLetter& letter : process.mailbox) {
    mailbox.push_back({static_cast<int>(letter.kind), binary(as_bytes(letter.bytes)), letter.sender, letter.tag});
  }
  for (const SavedTimer& timer : process.timers) timers.push_back({timer.left_ms, timer.tag});
  return {{"address", process.address}, {"module", process.module},      {"image", binary(process.image->to_bytes())},
          {"random", process.random},   {"mailbox", std::move(mailbox)}, {"timers", std::move(timers)}};
}

Json write(const SnapshotData& data) {
  Json modules = Json::array(), processes = Json::array(), spawned = Json::array();
  for (const SavedModule& module : data.modules) modules.push_back(write(module));
  for (const SavedProcess& process : data.processes) processes.push_back(write(process));
  for (const TreeChild& child : data.spawned) spawned.push_back(to_json(SupervisorSpec{.children = {child}}));
  return {{"sandbox", data.sandbox},       {"time", to_number(data.time)},  {"tree", to_json(data.tree)},
          {"spawned", std::move(spawned)}, {"modules", std::move(modules)}, {"processes", std::move(processes)}};
}

// ---- reading --------------------------------------------------------------------------------------------------

// What does not fit throws, within this file.
struct Unfit {
  std::string why;
};

template <typename T>
T required(Result<T> result, std::string_view what) {
  if (!result) throw Unfit{fmt::format("{}: {}", what, result.error().message)};
  return std::move(*result);
}

template <typename Enum>
Enum read_enum(const Json& value, Enum last) {
  const auto number = value.get<std::uint64_t>();
  if (number > static_cast<std::uint64_t>(last)) throw Unfit{fmt::format("there is no {} of its kind", number)};
  return static_cast<Enum>(number);
}

std::string read_text(const Json& value) {
  const auto& bytes = value.get_binary();
  return {bytes.begin(), bytes.end()};
}

Version read_version(const Json& value) {
  Version version{.number = value.at("number").get<std::uint64_t>(),
                  .artifact = required(Artifact::from_wasm(value.at("wasm").get_binary(), kModuleBytesMax),
                                       "the code of a version"),
                  .source = {},
                  .time = to_time(value.at("time")),
                  .origin = read_enum(value.at("origin"), VersionOrigin::copy),
                  .metadata = value.at("metadata").get<std::map<std::string, std::string>>(),
                  .needs = {},
                  .before = value.at("before").get<std::uint64_t>(),
                  .renames = {}};
  const auto& hash = value.at("source").get_binary();
  if (hash.size() != version.source.hash.sha256.size()) throw Unfit{"a hash has another size"};
  std::ranges::copy(hash, version.source.hash.sha256.begin());
  if (!value.at("text").is_null()) {
    version.source.text = std::make_shared<const std::string>(read_text(value.at("text")));
  }
  for (const Json& need : value.at("needs")) {
    version.needs[need.at(0).get<std::string>()] = {need.at(1).get<std::uint64_t>(), need.at(2).get<std::uint64_t>()};
  }
  for (const Json& rename : value.at("renames")) {
    version.renames.push_back({rename.at(0).get<std::string>(), rename.at(1).get<std::string>()});
  }
  return version;
}

SavedModule read_module(const Json& value) {
  SavedModule module{.name = value.at("name").get<std::string>(),
                     .active = value.at("active").get<std::uint64_t>(),
                     .total = value.at("total").get<std::uint64_t>(),
                     .versions = {},
                     .switches = {}};
  std::uint64_t last = 0;
  for (const Json& version : value.at("versions")) {
    module.versions.push_back(read_version(version));
    const std::uint64_t number = module.versions.back().number;
    if (number <= last || number > module.total) throw Unfit{"the versions of a module are not in order"};
    last = number;
  }
  if (std::ranges::find(module.versions, module.active, &Version::number) == module.versions.end()) {
    throw Unfit{"the active version of a module is missing"};
  }
  for (const Json& one : value.at("switches")) {
    module.switches.push_back({.from = one.at(0).get<std::uint64_t>(),
                               .to = one.at(1).get<std::uint64_t>(),
                               .time = to_time(one.at(2)),
                               .cause = read_enum(one.at(3), SwitchCause::restore),
                               .actor = one.at(4).get<std::string>()});
  }
  return module;
}

SavedProcess read_process(const Json& value) {
  SavedProcess process{.address = value.at("address").get<std::string>(),
                       .module = value.at("module").get<std::string>(),
                       .image = nullptr,
                       .random = value.at("random").get<SeededRandom::State>(),
                       .mailbox = {},
                       .timers = {}};
  process.image = std::make_shared<const InstanceImage>(
      required(InstanceImage::from_bytes(value.at("image").get_binary()), "what a process knew"));
  for (const Json& letter : value.at("mailbox")) {
    process.mailbox.push_back({.kind = read_enum(letter.at(0), MessageKind::child_exit),
                               .bytes = read_text(letter.at(1)),
                               .sender = letter.at(2).get<std::string>(),
                               .tag = letter.at(3).get<std::int64_t>()});
  }
  for (const Json& timer : value.at("timers")) {
    process.timers.push_back({timer.at(0).get<std::uint64_t>(), timer.at(1).get<std::int64_t>()});
  }
  return process;
}

std::shared_ptr<const SnapshotData> read_data(const Json& value) {
  auto data = std::make_shared<SnapshotData>();
  data->sandbox = value.at("sandbox").get<std::string>();
  data->time = to_time(value.at("time"));
  data->tree = required(parse_tree(value.at("tree").get<std::string>()), "the tree");
  for (const Json& child : value.at("spawned")) {
    const SupervisorSpec one = required(parse_tree(child.get<std::string>()), "a spawned child");
    data->spawned.insert(data->spawned.end(), one.children.begin(), one.children.end());
  }
  for (const Json& module : value.at("modules")) data->modules.push_back(read_module(module));
  for (const Json& process : value.at("processes")) {
    data->processes.push_back(read_process(process));
    const auto& all = data->processes;
    if (all.size() > 1 && all[all.size() - 2].address >= all.back().address) throw Unfit{"processes are not in order"};
  }
  return data;
}

// ---- around it ------------------------------------------------------------------------------------------------

std::string sealed(std::string_view kind, const Json& body) {
  std::string bytes = fmt::format("petri.{} {}\n", kind, kFormat);
  Json::to_cbor(body, nlohmann::detail::output_adapter<char>(bytes));
  const auto checksum = sha256(as_bytes(bytes));
  bytes.append(checksum.begin(), checksum.end());
  return bytes;
}

std::unexpected<Error> not_whole(std::string_view kind, std::string_view why) {
  return fail(ErrorCode::parse_failed, fmt::format("this is not a whole {} of petri's: {}", kind, why));
}

// The body, read by `read`, which throws what does not fit.
template <typename Read>
auto unsealed(std::string_view kind, std::string_view bytes, Read read) -> Result<decltype(read(Json()))> {
  const std::string magic = fmt::format("petri.{} ", kind);
  if (!bytes.starts_with(magic)) return not_whole(kind, "it does not begin as one");
  const std::size_t end = bytes.substr(0, magic.size() + 20).find('\n');
  if (end == std::string_view::npos) return not_whole(kind, "its first line does not end");
  const std::string_view format = bytes.substr(magic.size(), end - magic.size());
  if (format != std::to_string(kFormat)) {
    return fail(ErrorCode::rejected,
                fmt::format("the {} has the format {}, and this petri reads {}", kind, format, kFormat));
  }
  if (bytes.size() < end + 1 + kChecksumBytes) return not_whole(kind, "it is cut short");
  const std::string_view checked = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (!std::ranges::equal(sha256(as_bytes(checked)), as_bytes(bytes.substr(checked.size())))) {
    return not_whole(kind, "its checksum does not fit, so it was cut short or changed");
  }
  const Json body = Json::from_cbor(checked.substr(end + 1), true, false);
  if (body.is_discarded()) return not_whole(kind, "its body is not CBOR");
  try {
    return read(body);
  } catch (const Json::exception& error) {
    return not_whole(kind, error.what());
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

std::string Snapshot::to_bytes() const { return sealed(kSnapshot, petri::write(*data_)); }

Result<Snapshot> Snapshot::from_bytes(std::string_view bytes) {
  PETRI_TRY(auto data, unsealed(kSnapshot, bytes, read_data));
  return Snapshot(std::move(data));
}

std::string ModuleArchive::to_bytes() const { return sealed(kModule, petri::write(*data_)); }

Result<ModuleArchive> ModuleArchive::from_bytes(std::string_view bytes) {
  PETRI_TRY(SavedModule module, unsealed(kModule, bytes, read_module));
  return ModuleArchive(std::make_shared<const SavedModule>(std::move(module)));
}

Result<void> Snapshot::write(const std::string& path) const { return write_file(path, to_bytes()); }

Result<Snapshot> Snapshot::read(const std::string& path) {
  PETRI_TRY(const std::string bytes, read_file(path, kFileBytesMax));
  return from_bytes(bytes);
}

}  // namespace petri
