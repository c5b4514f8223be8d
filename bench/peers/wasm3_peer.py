"""wasm3 from Python: the quickest of the interpreters, and nothing ends a guest that does not end by itself."""

import importlib.metadata

import wasm3

import job
import peer


def evaluate(modules):
    scores = []
    for module in modules:
        environment = wasm3.Environment()
        runtime = environment.new_runtime(64 << 10)
        runtime.load(environment.parse_module(module))
        scores.append(job.score(runtime.find_function("f")))
    return scores


version = f"wasm3 from Python (pywasm3 {importlib.metadata.version('pywasm3')})"
peer.serve(lambda one: one["wasm"], evaluate, version=version, holds=[])
