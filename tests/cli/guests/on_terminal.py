"""on_terminal.py COLUMNS PATTERN COMMAND...: gives the command a terminal of that width for its stderr, waits for a line of progress
that fits the pattern, then interrupts the command as Ctrl-C does. Shows the line, then what is on the terminal at the end, with the
progress drawn over as a terminal does, then the command's stdout."""
import fcntl
import os
import re
import signal
import struct
import subprocess
import sys
import termios

columns, pattern, command = int(sys.argv[1]), re.compile(sys.argv[2]), sys.argv[3:]
ours, theirs = os.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
os.close(theirs)


def read_some():
    try:
        return os.read(ours, 4096).decode()
    except OSError:  # the other end is closed
        return ""


def frames_of(text):
    return [line.rstrip() for line in text.split("\n")[-1].split("\r")]


def screen_after(text):
    """The lines as they stand once everything is drawn."""
    lines, column = [""], 0
    for character in text:
        if character == "\r":
            column = 0
        elif character == "\n":
            lines.append("")
        else:
            lines[-1] = lines[-1][:column] + character + lines[-1][column + 1:]
            column += 1
    return [line.rstrip() for line in lines]


def wait_for_line():
    """The first whole frame that fits, and all that was read up to there."""
    text = ""
    while True:
        piece = read_some()
        if not piece:
            sys.exit(f"the command ended without such a line: {text!r}")
        text += piece
        frames = frames_of(text)
        if any(len(frame) >= columns for frame in frames):
            sys.exit(f"a line is wider than the terminal: {text!r}")
        shown = next((frame for frame in frames[:-1] if pattern.search(frame)), None)
        if shown:
            return shown, text


try:
    shown, text = wait_for_line()
    process.send_signal(signal.SIGINT)
    while piece := read_some():
        text += piece
    said, _ = process.communicate()
finally:
    process.kill()  # what has ended does not mind
print(shown)
print("\n".join(screen_after(text)).rstrip())
sys.stdout.write(said.decode())
sys.exit(process.returncode if process.returncode >= 0 else 200)
