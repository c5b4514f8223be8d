"""Runs a command whose stderr is a pipe that nobody reads, and says how it ended."""
import os
import subprocess
import sys

reader, writer = os.pipe()
command = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=writer)
os.close(writer)
try:
    print("ended with", command.wait(60))
except subprocess.TimeoutExpired:
    command.kill()
    print("did not end")
os.close(reader)
