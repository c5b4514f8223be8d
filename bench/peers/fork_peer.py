"""A fork for each candidate: limits of the system on processor time and memory, the score through a pipe."""

import os
import platform
import resource
import select
import struct

import job
import peer

SECONDS_MAX = 1
MEMORY_BYTES_MAX = 512 << 20


def child(text, write_end):
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_MAX, SECONDS_MAX))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
    try:
        os.write(write_end, struct.pack("<d", job.score(job.python_function(text))))
    finally:
        os._exit(0)


def start(text):
    read_end, write_end = os.pipe()
    process = os.fork()
    if process == 0:
        child(text, write_end)
    os.close(write_end)
    return process, read_end


def finish(running):
    """Nothing when the child ended without a score."""
    process, read_end = running
    select.select([read_end], [], [], 2 * SECONDS_MAX)
    answer = os.read(read_end, 8)
    os.close(read_end)
    os.waitpid(process, 0)
    return struct.unpack("<d", answer)[0] if answer else None


def evaluate(texts):
    return peer.in_twos(start, finish, texts)


ENDLESS = "def f(x):\n    while True:\n        pass\n"
GREEDY = "def f(x):\n    return len(bytearray(1 << 40))\n"
holds = [name for name, text in (("time", ENDLESS), ("memory", GREEDY)) if finish(start(text)) is None]
version = f"fork, rlimits and a pipe (Python {platform.python_version()})"
peer.serve(lambda one: one["python"], evaluate, version=version, holds=holds)
