#include "runtime/watches.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/source_files.h"
#include "petri/compile.h"
#include "runtime/watch_places.h"
#include "sandbox/sandbox_core.h"

namespace petri {
namespace {

// The folders of a file and of what it includes, with the names in each that are watched.
std::map<std::string, std::set<std::string>> names_by_folder(const std::string& path) {
  const std::string folder(folder_of(path));
  std::map<std::string, std::set<std::string>> names;
  const auto add = [&](const std::string& file) {
    const std::string in(folder_of(file));
    names[in.size() > 1 ? in.substr(0, in.size() - 1) : in].insert(file.substr(in.size()));
  };
  add(path);
  const CompileOptions bounds;
  const auto files = read_source_file(
      path, {.file_bytes_max = bounds.source_bytes_max, .folder_bytes_max = 4 * bounds.source_bytes_max});
  if (!files) return names;
  for (const auto& [file, bytes] : files->all()) add(folder + file);
  return names;
}

}  // namespace

Result<std::unique_ptr<Watches>> Watches::create(const Parts& parts) {
  std::unique_ptr<Watches> watches(new Watches(parts));
  PETRI_TRY(watches->watcher_, Watcher::create(parts.timers, parts.clock));
  return watches;
}

// No change comes once the watcher is gone, and no task starts once the sources have ended; the pool waits for the
// rest.
Watches::~Watches() {
  stop_.request_stop();
  std::map<WatchedPlace, Watched> sources;
  {
    MutexLock lock(mutex_);
    sources.swap(sources_);
    watcher_.reset();
  }
  for (const auto& [place, watched] : sources) watched.source->end();
}

// ---- watch ----------------------------------------------------------------------------------------------------

Result<std::vector<WatchInfo>> Watches::watch(const CorePtr& core, const WatchSpec& spec) {
  PETRI_TRY(check_watch(spec));
  PETRI_TRY(const auto places, watch_places(spec));
  return watch_all(core, places, spec, false);
}

Result<std::vector<WatchInfo>> Watches::watch_modules(const CorePtr& core, const WatchSpec& spec) {
  PETRI_TRY(check_watch(spec));
  PETRI_TRY(const auto places, places_of(core->module_places(), spec));
  return watch_all(core, places, spec, true);
}

// In place of what was watched of these paths.
Result<std::vector<WatchInfo>> Watches::watch_all(const CorePtr& core, const std::vector<WatchedPlace>& places,
                                                  const WatchSpec& spec, bool automatic) {
  const auto is_of = [&](const std::string& path) {
    return std::ranges::find(places, path, &WatchedPlace::path) != places.end();
  };
  std::vector<SubscriberPtr> replaced;
  std::vector<WatchInfo> infos;
  {
    MutexLock lock(mutex_);
    const std::vector<WatchInfo> before = core->source_news().watched();
    const auto others = std::ranges::count_if(before, [&](const WatchInfo& one) { return !is_of(one.path); });
    if (static_cast<std::size_t>(others) + places.size() > kWatchesMax) {
      return fail(ErrorCode::limit_exceeded,
                  fmt::format("the sandbox {} watches {} folders and files and may watch {}; unwatch some", core->id(),
                              others, kWatchesMax));
    }
    replaced = take(*core, [&](const WatchedPlace& place) { return is_of(place.path); });
    for (const WatchedPlace& place : places) {
      if (auto added = add(core, place, spec); !added) {
        take(*core, [&](const WatchedPlace& one) { return is_of(one.path); });
        for (const WatchedPlace& one : places) core->source_news().remove(one.path);
        return fail(std::move(added.error()));
      }
    }
    for (const WatchedPlace& place : places) {
      infos.push_back({.path = place.path,
                       .is_folder = place.is_folder,
                       .automatic = automatic,
                       .patterns = place.patterns,
                       .debounce = place.debounce});
      core->source_news().add(infos.back());
    }
  }
  for (const SubscriberPtr& subscriber : replaced) subscriber->end();
  return infos;
}

Result<void> Watches::add(const CorePtr& core, const WatchedPlace& place, const WatchSpec& spec) {
  PETRI_TRY(Watched* const watched, source_of(place));
  watched->source->add(std::make_shared<WatchSubscriber>(core, spec.reload));
  return {};
}

Result<Watches::Watched*> Watches::source_of(const WatchedPlace& place) {
  if (const auto found = sources_.find(place); found != sources_.end()) return &found->second;
  Timers& timers = parts_.timers;
  const Clock& clock = parts_.clock;
  Watched watched{
      .source = std::make_shared<WatchedSource>(
          WatchedSource::Parts{.compiler = parts_.compiler,
                               .events = parts_.events,
                               .metrics = parts_.metrics,
                               .clock = parts_.clock,
                               .threads = threads_,
                               .stop = stop_.get_token(),
                               .look = [this](WatchedSource& source) { look(source); },
                               .later =
                                   [&timers, &clock](const WatchedSourcePtr& source, std::chrono::nanoseconds wait) {
                                     timers.at(clock.now() + wait, [weak = std::weak_ptr(source)] {
                                       if (const auto again = weak.lock()) again->note({.everything = true});
                                     });
                                   }},
          place),
      .trees = {}};
  if (auto set = set_trees(watched); !set) {
    remove_trees(watched);
    return fail(std::move(set.error()));
  }
  return &sources_.emplace(place, std::move(watched)).first->second;
}

// ---- what is watched of a source ------------------------------------------------------------------------------

Result<void> Watches::set_trees(Watched& watched) {
  const WatchedPlace& place = watched.source->place();
  if (place.is_folder) return set_tree(watched, place.path, {});
  const auto wanted = names_by_folder(place.path);
  for (auto tree = watched.trees.begin(); tree != watched.trees.end();) {
    const bool stays = wanted.contains(tree->first);
    if (!stays) watcher_->remove(tree->second.second);
    tree = stays ? std::next(tree) : watched.trees.erase(tree);
  }
  for (const auto& [folder, names] : wanted) PETRI_TRY(set_tree(watched, folder, names));
  return {};
}

// The new tree comes before the old one goes, so that no change is missed.
Result<void> Watches::set_tree(Watched& watched, const std::string& folder, const std::set<std::string>& names) {
  const auto present = watched.trees.find(folder);
  if (present != watched.trees.end() && present->second.first == names) return {};
  const WatchedPlace& place = watched.source->place();
  PETRI_TRY(Globs patterns, Globs::create(place.patterns.empty() ? source_patterns() : place.patterns));
  WatchRequest request{.folder = folder,
                       .names = {names.begin(), names.end()},
                       .patterns = names.empty() ? std::move(patterns) : Globs(),
                       .folders_max = kWatchedFoldersMax};
  PETRI_TRY(const Watcher::Number number,
            watcher_->add(std::move(request), place.debounce,
                          [source = watched.source](FolderChange change) { source->note(std::move(change)); }));
  if (present != watched.trees.end()) watcher_->remove(present->second.second);
  watched.trees[folder] = {names, number};
  return {};
}

void Watches::look(WatchedSource& source) {
  if (source.place().is_folder) return;
  MutexLock lock(mutex_);
  const auto found = sources_.find(source.place());
  if (found == sources_.end() || found->second.source.get() != &source) return;
  if (const auto set = set_trees(found->second); !set) source.note({.problems = {set.error().message}});
}

void Watches::remove_trees(Watched& watched) {
  for (const auto& [folder, tree] : watched.trees) watcher_->remove(tree.second);
  watched.trees.clear();
}

// ---- unwatch --------------------------------------------------------------------------------------------------

std::vector<SubscriberPtr> Watches::take(const SandboxCore& core,
                                         const std::function<bool(const WatchedPlace&)>& which) {
  std::vector<SubscriberPtr> taken;
  for (auto found = sources_.begin(); found != sources_.end();) {
    auto& [place, watched] = *found;
    bool is_last = false;
    for (const SubscriberPtr& subscriber : watched.source->subscribers()) {
      if (!subscriber->is_of(core) || !which(place)) continue;
      is_last = watched.source->remove(subscriber);
      taken.push_back(subscriber);
    }
    if (is_last) {
      watched.source->end();
      remove_trees(watched);
    }
    found = is_last ? sources_.erase(found) : std::next(found);
  }
  return taken;
}

Result<void> Watches::unwatch(const CorePtr& core, std::string_view path) {
  const std::string plain = path.empty() ? "" : plain_path(std::string(path));
  std::vector<SubscriberPtr> ended;
  {
    MutexLock lock(mutex_);
    ended = take(*core, [&](const WatchedPlace& place) { return plain.empty() || place.path == plain; });
    for (const WatchInfo& info : core->source_news().watched()) {
      if (plain.empty() || info.path == plain) core->source_news().remove(info.path);
    }
  }
  for (const SubscriberPtr& subscriber : ended) subscriber->end();
  if (!ended.empty() || plain.empty()) return {};
  return fail(Error{
      .code = ErrorCode::not_found,
      .message = fmt::format("the sandbox {} does not watch {}", core->id(), escape_text(plain, kPathShownBytesMax)),
      .details = {{"path", plain}}});
}

Result<void> Watches::unwatch_modules(const CorePtr& core) {
  for (const WatchInfo& info : core->source_news().watched()) {
    if (info.automatic) PETRI_TRY(unwatch(core, info.path));
  }
  return {};
}

void Watches::forget(SandboxCore& core) {
  MutexLock lock(mutex_);
  for (const SubscriberPtr& subscriber : take(core, [](const WatchedPlace&) { return true; })) subscriber->begin_end();
  for (const WatchInfo& info : core.source_news().watched()) core.source_news().remove(info.path);
}

std::size_t Watches::size() const {
  MutexLock lock(mutex_);
  return sources_.size();
}

}  // namespace petri
