"""signal_after_lines.py SIGNAL COUNT FIFO COMMAND...: makes the FIFO, starts the command, which is to write lines into it, sends the
signal once there are so many, and shows what the command says and how it ends."""
import os
import signal
import subprocess
import sys

name, count, fifo, command = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
os.mkfifo(fifo)
# Whoever runs this in the background of a script has SIGINT ignored, and so would the command.
process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
try:
    with open(fifo, encoding="utf-8") as lines:
        for _ in range(count):
            lines.readline()
        process.send_signal(signal.Signals[name])
        lines.read()
    said, _ = process.communicate()
finally:
    process.kill()  # what has ended does not mind
sys.stdout.write(said.decode())
sys.exit(process.returncode if process.returncode >= 0 else 200)
