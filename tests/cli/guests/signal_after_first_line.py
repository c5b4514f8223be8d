"""signal_after_first_line.py SIGNAL COMMAND...: starts the command, waits for the first line of its stdout, sends the signal, and
shows what it says on stderr and how it ends."""
import signal
import subprocess
import sys

process = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
process.stdout.readline()
process.send_signal(signal.Signals[sys.argv[1]])
_, said = process.communicate()
sys.stdout.write(said.decode())
sys.exit(process.returncode if process.returncode >= 0 else 200)
