#include "base/text/utc_time.h"

#include <algorithm>
#include <array>

namespace petri {
namespace {

using namespace std::chrono;
using MicroTime = sys_time<microseconds>;

constexpr std::string_view kForm = "0000-00-00T00:00:00.000000Z";

// The years that nanoseconds in 64 bits reach lie within four digits.
static_assert(floor<days>(WallTime::max()) < sys_days(year(9999) / 1 / 1));
static_assert(floor<days>(WallTime::min()) > sys_days(year(0) / 1 / 1));

void put_digits(char* place, std::size_t count, std::uint64_t number) {
  for (; count > 0; number /= 10) place[--count] = static_cast<char>('0' + number % 10);
}

unsigned digits_at(std::string_view text, std::size_t place, std::size_t count) {
  unsigned number = 0;
  for (const char c : text.substr(place, count)) number = number * 10 + static_cast<unsigned>(c - '0');
  return number;
}

bool has_the_form(std::string_view text) {
  return std::ranges::equal(text, kForm,
                            [](char c, char form) { return form == '0' ? c >= '0' && c <= '9' : c == form; });
}

}  // namespace

void append_utc(std::string& text, WallTime time) {
  const auto day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(floor<microseconds>(time) - MicroTime(day));
  std::array<char, kForm.size()> form;
  std::ranges::copy(kForm, form.begin());
  put_digits(form.data(), 4, static_cast<std::uint64_t>(static_cast<int>(date.year())));
  put_digits(form.data() + 5, 2, static_cast<unsigned>(date.month()));
  put_digits(form.data() + 8, 2, static_cast<unsigned>(date.day()));
  put_digits(form.data() + 11, 2, static_cast<std::uint64_t>(clock.hours().count()));
  put_digits(form.data() + 14, 2, static_cast<std::uint64_t>(clock.minutes().count()));
  put_digits(form.data() + 17, 2, static_cast<std::uint64_t>(clock.seconds().count()));
  put_digits(form.data() + 20, 6, static_cast<std::uint64_t>(clock.subseconds().count()));
  text.append(form.data(), form.size());
}

std::string to_utc_text(WallTime time) {
  std::string text;
  append_utc(text, time);
  return text;
}

std::optional<WallTime> parse_utc(std::string_view text) {
  if (!has_the_form(text)) return std::nullopt;
  const year_month_day date(year(static_cast<int>(digits_at(text, 0, 4))), month(digits_at(text, 5, 2)),
                            day(digits_at(text, 8, 2)));
  const hours hour(digits_at(text, 11, 2));
  const minutes minute(digits_at(text, 14, 2));
  const seconds second(digits_at(text, 17, 2));
  if (!date.ok() || hour >= days(1) || minute >= hours(1) || second >= minutes(1)) return std::nullopt;
  const MicroTime time = sys_days(date) + hour + minute + second + microseconds(digits_at(text, 20, 6));
  if (time > floor<microseconds>(WallTime::max()) || time < ceil<microseconds>(WallTime::min())) return std::nullopt;
  return WallTime(time);
}

}  // namespace petri
