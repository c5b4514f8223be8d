#include "cli/progress_display.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace petri::cli {
namespace {

using namespace std::chrono_literals;
using Shown = ProgressDisplay::Shown;

// A stream whose output can be read back.
class PipeStream {
 public:
  PipeStream() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
    reading_ = ends[0];
    writing_ = ends[1];
    stream.emplace(writing_, "pipe");
  }
  ~PipeStream() {
    ::close(reading_);
    ::close(writing_);
  }
  PipeStream(const PipeStream&) = delete;
  PipeStream& operator=(const PipeStream&) = delete;

  std::string read() const {
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(reading_, buffer.data(), buffer.size());
    return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
  }
  void fill() const {
    const std::string page(4096, 'x');
    while (::write(writing_, page.data(), page.size()) > 0) {
    }
  }

  std::optional<OutputStream> stream;

 private:
  int reading_ = -1;
  int writing_ = -1;
};

ProgressState state(std::size_t done) { return {.done = done, .total = 4}; }

TEST(ProgressDisplay, DrawsAtMostTenTimesASecond) {
  PipeStream pipe;
  ManualClock clock;
  ProgressDisplay display(*pipe.stream, clock, Shown::yes);
  display.show(state(0));
  EXPECT_EQ(pipe.read(), "\r[>                   ]    0 %  0 of 4");
  clock.advance(99ms);
  display.show(state(1));
  EXPECT_EQ(pipe.read(), "");
  clock.advance(1ms);
  display.show(state(2));
  EXPECT_EQ(pipe.read(), "\r[==========>         ]   50 %  2 of 4  20/s  1 s left");
}

TEST(ProgressDisplay, ShowsLaterWhatItHadNoTimeFor) {
  PipeStream pipe;
  ManualClock clock;
  ProgressDisplay display(*pipe.stream, clock, Shown::yes);
  display.show(state(0));
  display.show(state(2));
  pipe.read();
  display.refresh();
  EXPECT_EQ(pipe.read(), "");
  clock.advance(1s);
  display.refresh();
  EXPECT_EQ(pipe.read(), "\r[==========>         ]   50 %  2 of 4  2.0/s  1 s left");
}

TEST(ProgressDisplay, TakesAwayWhatALongerLineLeft) {
  PipeStream pipe;
  ManualClock clock;
  ProgressDisplay display(*pipe.stream, clock, Shown::yes);
  clock.advance(1s);
  display.show(state(2));
  pipe.read();
  clock.advance(1s);
  display.show(state(0));
  const std::size_t longer = std::string_view("  2.0/s  1 s left").size();
  EXPECT_EQ(pipe.read(), "\r[>                   ]    0 %  0 of 4" + std::string(longer, ' '));
}

TEST(ProgressDisplay, LeavesAnEmptyLineBehind) {
  PipeStream pipe;
  ManualClock clock;
  {
    ProgressDisplay display(*pipe.stream, clock, Shown::yes);
    display.show(state(0));
    const std::size_t drawn = pipe.read().size() - 1;
    display.clear();
    EXPECT_EQ(pipe.read(), "\r" + std::string(drawn, ' ') + "\r");
    display.refresh();
  }
  EXPECT_EQ(pipe.read(), "");
}

TEST(ProgressDisplay, ShowsNothingUnlessItIsWanted) {
  PipeStream pipe;
  ManualClock clock;
  ProgressDisplay display(*pipe.stream, clock, Shown::no);
  const ProgressTicker ticker(display);
  display.show(state(1));
  display.refresh();
  display.clear();
  EXPECT_EQ(pipe.read(), "");
}

TEST(ProgressDisplay, IsNotHeldUpByATerminalThatIs) {
  PipeStream pipe;
  pipe.fill();
  ManualClock clock;
  ProgressDisplay display(*pipe.stream, clock, Shown::yes);
  display.show(state(1));
  display.clear();
  EXPECT_FALSE(pipe.stream->failed());
}

}  // namespace
}  // namespace petri::cli
