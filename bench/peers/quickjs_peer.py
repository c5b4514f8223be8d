"""QuickJS from Python: a new context for each candidate, with its limits on time and memory."""

import importlib.metadata

import quickjs

import job
import peer


def context():
    fresh = quickjs.Context()
    fresh.set_time_limit(0.5)
    fresh.set_memory_limit(16 << 20)
    return fresh


def is_stopped(text):
    try:
        context().eval(text)
    except quickjs.JSException:
        return True
    return False


def evaluate(texts):
    return [job.score(context().eval(text)) for text in texts]


holds = [
    name
    for name, text in (("time", "for (;;);"), ("memory", "let text = 'x'; for (;;) text += text;"))
    if is_stopped(text)
]
version = f"QuickJS {importlib.metadata.version('quickjs')} from Python"
peer.serve(lambda one: one["javascript"], evaluate, version=version, holds=holds)
