#!/usr/bin/env python3
"""petri beside its peers on the mix and on straight-line code, in one run: compare.py PETRI_DEV FOLDER [PEER...]

FOLDER is what the script `run` set up. Peers take turns, five rounds each; medians are shown.
"""

import dataclasses
import json
import pathlib
import statistics
import subprocess
import sys

import job

HERE = pathlib.Path(__file__).parent
ROUNDS = 5


@dataclasses.dataclass
class Peer:
    name: str
    command: list  # relative to this folder; PYTHON is filled in; JOB PETRI_DEV FOLDER follow, then what is after them
    batch: int  # candidates in a round
    threads: str
    lacks: str  # what it does not enforce
    jobs: tuple = ("mix", "straight")
    facts: dict = dataclasses.field(default_factory=dict)
    rates: list = dataclasses.field(default_factory=list)
    failure: str = ""


PEERS = [
    Peer("deap", ["PYTHON", "deap_peer.py"], 4000, "1", "time, memory, isolation: plain Python (a tree cannot loop)", ("straight",)),
    Peer("v8", ["node", "v8_peer.mjs", "1"], 10000, "1", "time: a loop hangs the thread; repeatable ends"),
    Peer("v8_two", ["node", "v8_peer.mjs", "2"], 20000, "2", "time: a loop hangs the thread; repeatable ends"),
    Peer("wasm3", ["PYTHON", "wasm3_peer.py"], 2000, "1", "time, memory; it leaks some KiB a module"),
    Peer("quickjs", ["PYTHON", "quickjs_peer.py"], 1500, "1", "repeatable ends: its clock is coarse"),
    Peer("fork", ["PYTHON", "fork_peer.py"], 400, "2", "isolation: files and network are open; repeatable ends"),
    Peer("process", ["PYTHON", "process_peer.py"], 60, "2", "memory, isolation: files and network are open; repeatable ends"),
]
# petri's own side of each job.
BENCHMARKS = {"mix": "evaluate_per_second", "straight": "evaluate_straight_per_second"}


class Conversation:
    """With a peer that has said that it is ready."""

    def __init__(self, peer, made, folder):
        program, script, *rest = peer.command
        program = str(folder / "venv/bin/python") if program == "PYTHON" else program
        self.made = made
        self.process = subprocess.Popen(
            [program, str(HERE / script), made.name, made.petri_dev, str(folder), *rest],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        peer.facts = self.listen()

    def listen(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError((self.process.communicate()[1].strip() or "it ended").splitlines()[-1])
        return json.loads(line)

    def rate(self, first, count):
        """Candidates a second, once every score is seen to be right."""
        print(first, count, file=self.process.stdin, flush=True)
        answer = self.listen()
        # As floats: JavaScript writes 2.0 as 2, and from 2**53 on that would be read as another integer.
        if [float(score) for score in answer["scores"]] != [float(one["score"]) for one in self.made.candidates(first, count)]:
            raise RuntimeError("its scores are not those of the job")
        return count / answer["seconds"]

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def petri_bench(petri_dev, name):
    line = subprocess.run([petri_dev, "bench", name, "--json"], check=True, capture_output=True, text=True).stdout
    return json.loads(line)["value"]


def attempt(peer, act):
    """A peer that fails once is a row that says so, and is asked no more."""
    if peer.failure:
        return None
    try:
        return act()
    except (OSError, RuntimeError, ValueError) as problem:
        peer.failure = str(problem)
        return None


def measure(made, folder, peers):
    """Fills in the peers' rates; gives petri's of the same job."""
    talks = {peer.name: attempt(peer, lambda peer=peer: Conversation(peer, made, folder)) for peer in peers}
    petri_rates = []
    for turn in range(ROUNDS):
        print(f"{made.name}, round {turn + 1} of {ROUNDS}: petri", end="", flush=True, file=sys.stderr)
        petri_rates.append(petri_bench(made.petri_dev, BENCHMARKS[made.name]))
        for peer in peers:
            print(f" {peer.name}", end="", flush=True, file=sys.stderr)
            first = 1000 + turn * peer.batch
            rate = attempt(peer, lambda peer=peer, first=first: talks[peer.name].rate(first, peer.batch))
            if rate is not None:
                peer.rates.append(rate)
        print(file=sys.stderr)
    for peer in peers:
        if not peer.failure:
            talks[peer.name].end()
    return petri_rates


ROW = "{:<42} {:>7} {:>11} {:>8} {:>13}  {:<12}  {}"


def row(name, threads, rates, petri_rate, holds, lacks):
    middle = statistics.median(rates)
    spread = (max(rates) - min(rates)) / 2 / middle
    ratio = petri_rate / middle
    return ROW.format(name, threads, f"{middle:,.0f}", f"±{spread:.0%}", f"{ratio:.2g}", holds, lacks)


def table(name, peers, petri_rates, scaling):
    best = statistics.median(petri_rates)
    print(ROW.format(name, "threads", "per second", "spread", "petri/peer", "seen to stop", "does not enforce"))
    print(row("petri, two workers, records and receipts", "2", petri_rates, best, "time, memory", "-"))
    print(row("petri, one worker", "1", [rate / scaling for rate in petri_rates], best, "time, memory", "-"))
    for peer in peers:
        if peer.failure:
            print(ROW.format(peer.name, peer.threads, "-", "-", "-", "-", f"not measured: {peer.failure}"))
        else:
            holds = ", ".join(peer.facts["holds"]) or "nothing"
            print(row(peer.facts["version"], peer.threads, peer.rates, best, holds, peer.lacks))
    print()


def bars(peers, petri_rates):
    """What is asked of petri, and what was found."""
    best = statistics.median(petri_rates)
    rates = {peer.name: statistics.median(peer.rates) for peer in peers if peer.rates}
    stopping = [rates[peer.name] for peer in peers if peer.rates and "time" in peer.facts["holds"]]
    asked = [
        ("DEAP's evaluation", rates.get("deap"), 6),
        ("V8 with two workers", rates.get("v8_two"), 6),
        ("the quickest peer that can stop a loop", max(stopping, default=None), 20),
    ]
    for name, rate, times in asked:
        if rate is not None:
            print(f"{best / rate:6.1f} x {name} (>= {times} is asked for)")
    print()


def main():
    petri_dev, folder, names = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    unknown = set(names) - {peer.name for peer in PEERS}
    if unknown:
        sys.exit(f"there is no peer {', '.join(sorted(unknown))}; the peers are {', '.join(peer.name for peer in PEERS)}")
    petri_bench(petri_dev, "evaluate_hostile_percent")  # fails unless petri stops every hostile candidate
    scaling = petri_bench(petri_dev, "evaluate_scaling")
    for name in BENCHMARKS:
        # A fresh peer for each job, so that no rates of one are taken for the other's.
        peers = [
            dataclasses.replace(peer, facts={}, rates=[], failure="")
            for peer in PEERS
            if name in peer.jobs and (not names or peer.name in names)
        ]
        petri_rates = measure(job.Job(name, petri_dev, folder), folder, peers)
        table(name, peers, petri_rates, scaling)
        bars(peers, petri_rates)


if __name__ == "__main__":
    main()
