"""A peer's side of the conversation with compare.py, which sends "FIRST COUNT" and is answered in JSON, a line each.

A peer is started as: PEER JOB PETRI_DEV FOLDER
"""

import json
import sys
import time

import job


def say(**answer):
    print(json.dumps(answer), flush=True)


def serve(prepare, evaluate, **facts):
    """`prepare` makes what is in hand before the clock starts, of a candidate; `evaluate` takes a list of that and gives
    the scores. `facts`: its version, and which limits were just seen to hold."""
    made = job.Job(*sys.argv[1:4])
    evaluate([prepare(one) for one in made.candidates(0, 100)])
    say(ready=True, **facts)
    for line in sys.stdin:
        first, count = map(int, line.split())
        candidates = [prepare(one) for one in made.candidates(first, count)]
        start = time.perf_counter()
        scores = evaluate(candidates)
        say(seconds=time.perf_counter() - start, scores=scores)


def in_twos(start, finish, candidates):
    """Two candidates in flight: `start` begins one, `finish` waits for it and gives its score."""
    scores, running = [], []
    for candidate in candidates:
        if len(running) == 2:
            scores.append(finish(running.pop(0)))
        running.append(start(candidate))
    return scores + [finish(one) for one in running]
