// For tests: a log on a clock that is moved by hand, and its file as lines.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "audit/audit_log.h"
#include "base/files/test_file.h"

namespace petri {

inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
    lines.emplace_back(text.substr(0, end));
  return lines;
}

inline std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text.append(line) += '\n';
  return text;
}

struct TestLog {
  explicit TestLog(const AuditOptions& options = {}) {
    clock.set_wall(WallTime(std::chrono::seconds(1'700'000'000)));
    auto made = AuditLog::create(options, clock);
    EXPECT_TRUE(made) << made.error().message;
    if (made) log = *std::move(made);
  }

  std::uint64_t deny(std::string_view sandbox, std::string_view cause = "clock") {
    clock.advance(std::chrono::milliseconds(1));
    return log->append(AuditLevel::basic,
                       {.kind = AuditKind::permission_denied, .sandbox = sandbox, .process = "main", .cause = cause},
                       {{"function", "clock_ms"}, {"count", 3}});
  }
  std::uint64_t kill(std::string_view sandbox) {
    clock.advance(std::chrono::milliseconds(1));
    return log->append(AuditLevel::full, {.kind = AuditKind::killed, .sandbox = sandbox, .cause = "fuel_max"});
  }
  std::vector<std::uint64_t> numbers(const AuditQuery& query) const {
    std::vector<std::uint64_t> numbers;
    for (const AuditEntry& entry : log->query(query).entries) numbers.push_back(entry.number);
    return numbers;
  }

  ManualClock clock;
  std::unique_ptr<AuditLog> log;
};

// The text of a file that a log with these many entries wrote.
inline std::string file_with(const TestFile& file, int entries) {
  TestLog test({.file = file.path()});
  for (int i = 0; i < entries; ++i) test.deny(i % 2 == 0 ? "even" : "odd");
  test.log.reset();
  return file.read();
}

}  // namespace petri
