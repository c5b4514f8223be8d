#include "base/complaints.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace petri {
namespace {

bool contains(std::string_view outer, std::string_view inner) {
  if (!inner.starts_with(outer)) return false;
  inner.remove_prefix(outer.size());
  return inner.empty() || inner.front() == '.' || inner.front() == '[';
}

}  // namespace

void Complaints::add(std::string where, std::string_view what) {
  std::string text = fmt::format("{} {}", where.empty() ? "it" : where, what);
  add({.where = std::move(where), .what = std::string(what), .text = std::move(text), .details = {}});
}

void Complaints::add_sentence(std::string where, std::string_view sentence) {
  std::string text = fmt::format("{}{}{}", where, where.empty() ? "" : ": ", sentence);
  add({.where = std::move(where), .what = std::string(sentence), .text = std::move(text), .details = {}});
}

void Complaints::add_clause(std::string where, std::string clause, std::vector<ErrorDetail> details) {
  add({.where = std::move(where), .what = clause, .text = std::move(clause), .details = std::move(details)});
}

void Complaints::add(Complaint complaint) {
  if (++count_ <= kKeptMax) kept_.push_back(std::move(complaint));
}

bool Complaints::covers(std::string_view where) const {
  return std::ranges::any_of(kept_, [&](const Complaint& complaint) { return contains(complaint.where, where); });
}

std::string Complaints::message() const {
  std::string all;
  for (const Complaint& complaint : kept_) all.append(all.empty() ? "" : "; ").append(complaint.text);
  if (count_ > kept_.size()) all += fmt::format("; and {} more", count_ - kept_.size());
  return all;
}

Result<void> Complaints::result() const {
  if (empty()) return {};
  Error error{.code = ErrorCode::validation_failed, .message = message(), .details = {}};
  for (const Complaint& complaint : kept_) error.details.push_back({complaint.where, complaint.what});
  return fail(std::move(error));
}

Result<void> Complaints::result(ErrorCode code, std::string_view opening) const {
  if (empty()) return {};
  Error error{.code = code, .message = fmt::format("{}: {}", opening, message()), .details = {}};
  for (const auto& [where, what, text, details] : kept_) {
    if (!where.empty()) error.details.push_back({"field", where});
    error.details.insert(error.details.end(), details.begin(), details.end());
  }
  return fail(std::move(error));
}

}  // namespace petri
