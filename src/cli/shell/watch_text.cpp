#include "cli/shell/watch_text.h"

#include <fmt/format.h>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/commands/compile_text.h"
#include "cli/shell/text_table.h"

namespace petri::cli {
namespace {

std::string shown(const WatchInfo& watch) { return escape_text(watch.path) + (watch.is_folder ? "/" : ""); }

}  // namespace

std::string to_text(const std::vector<WatchInfo>& watched) {
  if (watched.empty()) return "nothing is watched\n";
  Rows rows{{"watched", "by", "debounce", "reloads", "failures", "last error"}};
  for (const WatchInfo& watch : watched) {
    rows.push_back({shown(watch), watch.automatic ? "auto-reload" : "watch", format_duration(watch.debounce),
                    format_count(watch.reloads), format_count(watch.failures), escape_text(watch.last_error)});
  }
  return text_table(rows);
}

Json to_json(const std::vector<WatchInfo>& watched) {
  Json list = Json::array();
  for (const WatchInfo& watch : watched) {
    Json row{{"is_folder", watch.is_folder},          {"automatic", watch.automatic}, {"patterns", watch.patterns},
             {"debounce_ns", watch.debounce.count()}, {"reloads", watch.reloads},     {"failures", watch.failures}};
    add_bytes(row, "path", watch.path);
    if (!watch.last_error.empty()) row["last_error"] = watch.last_error;
    list.push_back(std::move(row));
  }
  return list;
}

std::string watched_text(const SandboxInfo& info) {
  std::string text;
  for (const WatchInfo& watch : info.watched) {
    text += fmt::format("{}{} {} reloads, {} failures", text.empty() ? "" : ", ", shown(watch),
                        format_count(watch.reloads), format_count(watch.failures));
  }
  return text;
}

std::string last_compile_text(const SandboxInfo& info) {
  return info.compile == nullptr ? "" : summary_text(*info.compile);
}

}  // namespace petri::cli
