// Sandboxes and what happens in them, in words. All text that may come from a guest is escaped.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/shell/news.h"
#include "petri/runtime.h"

namespace petri::cli {

// How much of an artifact's hash a table shows.
inline constexpr std::size_t kHashDigitsShown = 12;

std::string to_text(const SandboxInfo& info);
std::string to_text(const SandboxPage& page, std::size_t offset);
std::string to_text(const std::vector<ChildInfo>& children);
std::string to_text(const Usage& usage, const SandboxLimits& limits);
std::string to_text(std::span<const UsageSample> history);
std::string to_text(const SandboxLimits& limits);
std::string to_text(const RuntimeInfo& info);

// A guest's answer: its values on a line, then its output in quotes. Either may be missing.
std::string answer_text(const Outcome& outcome);
// How it went: why it ended, where, and what it cost.
std::string notes_text(const Outcome& outcome, const Limits& limits);

// "log counter/main info: ..."
std::string to_text(const LogNews& log);

// "3 processes", "1 process"
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

}  // namespace petri::cli
