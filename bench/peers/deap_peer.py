"""DEAP: a tree is compiled to a Python function and called, as its own examples do. Nothing is limited.

Its trees are expressions: of the two jobs it can do the straight one.
"""

import operator

import deap
from deap import gp

import job
import peer


def divide(left, right):
    return left / right if right else 1.0


primitives = gp.PrimitiveSet("f", 1)
primitives.renameArguments(ARG0="x")
for function in (operator.add, operator.sub, operator.mul, divide):
    primitives.addPrimitive(function, 2)


def tree(candidate):
    """c * x² + (0.375 * x² - x / (x² + 1.25)), in prefix order."""
    add, sub, mul, div = (primitives.mapping[name] for name in ("add", "sub", "mul", "divide"))
    x = primitives.mapping["x"]
    square = [mul, x, x]

    def number_node(value):
        return gp.Terminal(value, False, object)

    return gp.PrimitiveTree(
        [add, mul, number_node(job.constant(candidate["number"])), *square]
        + [sub, mul, *square, number_node(0.375), div, x, add, *square, number_node(1.25)]
    )


def evaluate(trees):
    return [job.score(gp.compile(one, primitives)) for one in trees]


peer.serve(tree, evaluate, version=f"DEAP {deap.__version__}", holds=[])
