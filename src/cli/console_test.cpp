#include "cli/console.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>

namespace petri::cli {
namespace {

struct Pipe {
  Pipe() { EXPECT_EQ(::pipe(ends.data()), 0); }
  ~Pipe() {
    close_reader();
    ::close(ends[1]);
  }
  void close_reader() {
    if (ends[0] >= 0) ::close(ends[0]);
    ends[0] = -1;
  }
  std::string read() const {
    std::string bytes(1 << 16, '\0');
    bytes.resize(static_cast<std::size_t>(::read(ends[0], bytes.data(), bytes.size())));
    return bytes;
  }
  std::array<int, 2> ends{-1, -1};
};

TEST(OutputStream, PassesBytesOnAsTheyAre) {
  Pipe pipe;
  OutputStream stream(pipe.ends[1], "stdout");
  stream.write(std::string_view("a\0b\n", 4));
  EXPECT_EQ(pipe.read(), std::string("a\0b\n", 4));
  EXPECT_FALSE(stream.is_terminal());
  EXPECT_TRUE(stream.status());
}

// A terminal, seen from the other side.
struct Terminal {
  Terminal() : controller(::posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_EQ(::grantpt(controller), 0);
    EXPECT_EQ(::unlockpt(controller), 0);
    terminal = ::open(::ptsname(controller), O_RDWR | O_NOCTTY);
    termios settings{};
    ::tcgetattr(terminal, &settings);
    ::cfmakeraw(&settings);
    ::tcsetattr(terminal, TCSANOW, &settings);
  }
  ~Terminal() {
    ::close(terminal);
    ::close(controller);
  }
  // As many bytes as are expected, in however many pieces the terminal passes them on.
  std::string read(std::size_t expected) const {
    std::string bytes;
    while (bytes.size() < expected) {
      std::array<char, 4'096> piece{};
      const auto count = ::read(controller, piece.data(), piece.size());
      if (count <= 0) break;
      bytes.append(piece.data(), static_cast<std::size_t>(count));
    }
    return bytes;
  }
  int controller = -1;
  int terminal = -1;
};

TEST(OutputStream, MakesWhateverIsWrittenToATerminalHarmless) {
  const Terminal terminal;
  OutputStream stream(terminal.terminal, "stdout");
  ASSERT_TRUE(stream.is_terminal());
  stream.write("a\xc2");
  stream.write(
      "\x9b"
      "31m\u202e\n");
  const std::string_view expected = "a\\x9b31m\\u{202e}\n";
  EXPECT_EQ(terminal.read(expected.size()), expected);
}

TEST(OutputStream, JoinsNothingAcrossItsOwnControlCharacters) {
  const Terminal terminal;
  {
    OutputStream stream(terminal.terminal, "stdout");
    stream.write("\xc2");
    stream.write_control("\r");
    stream.write("\x9b\xe2");
  }
  const std::string_view expected = "\\xc2\r\\x9b\\xe2";
  EXPECT_EQ(terminal.read(expected.size()), expected);
}

TEST(OutputStream, RemembersThatTheReaderWentAway) {  // HF12
  ::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  pipe.close_reader();
  OutputStream stream(pipe.ends[1], "stdout");
  stream.write("lost");
  ASSERT_TRUE(stream.failed());
  EXPECT_TRUE(stream.reader_is_gone());
  EXPECT_EQ(stream.status().error().code, ErrorCode::io_error);
  EXPECT_EQ(stream.status().error().message, "stdout could not be written: Broken pipe");
}

TEST(OutputStream, GivesUpOnAReaderThatDoesNotReadWhenAsked) {  // HF12
  Pipe pipe;
  OutputStream stream(pipe.ends[1], "stdout");
  int asked = 0;
  stream.write(std::string(1 << 20, 'x'), [&asked] { return ++asked == 2; });
  EXPECT_EQ(asked, 2);
  EXPECT_FALSE(stream.failed());
}

TEST(OutputStream, SaysWhenTheDiskIsFull) {  // HF04
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  OutputStream stream(full, "stdout");
  stream.write("x");
  EXPECT_EQ(stream.status().error().message, "stdout could not be written: No space left on device");
  ::close(full);
}

}  // namespace
}  // namespace petri::cli
