#!/usr/bin/env python3
"""Draws docs/pictures/evolution.svg, the picture of the README, from the records of the demo.

  build/release/bin/evolve sorting-network --inputs 8 --seed 1 --records records.jsonl > drawing.txt
  docs/pictures/evolution.py records.jsonl drawing.txt > docs/pictures/evolution.svg

A seed gives the same records on every machine, so the picture is the same too; tests/docs/CMakeLists.txt compares it.
On the left: the best score so far and the median of each generation. On the right: the best network, as evolve draws it.
"""
import json
import math
import statistics
import sys

GENERATION = 256  # candidates
WIDTH, HEIGHT = 860, 304
LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT = 56, 64, 400, 200
NETWORK_LEFT, NETWORK_WIDTH = 520, 312
TICKS = (20, 30, 50, 100, 200)

STYLE = """<style>
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 15px; font-weight: 600 }
  .faint { fill: #57606a }
  .grid { stroke: #d0d7de }
  .best { fill: none; stroke: #0969da; stroke-width: 2.5 }
  .median { fill: none; stroke: #bc4c00; stroke-width: 1.5; opacity: .8 }
  .best-text { fill: #0969da }
  .median-text { fill: #bc4c00 }
  .optimum { stroke: #57606a; stroke-dasharray: 4 4 }
  .wire { stroke: #57606a; stroke-width: 1.5 }
  .comparator { stroke: #0969da; stroke-width: 2 }
  .end { fill: #0969da }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .faint { fill: #9198a1 }
    .grid { stroke: #3d444d }
    .best, .comparator { stroke: #4493f8 }
    .median { stroke: #db6d28 }
    .best-text, .end { fill: #4493f8 }
    .median-text { fill: #db6d28 }
    .optimum, .wire { stroke: #9198a1 }
  }
</style>"""


def scores_of(lines):
    """The scores of all candidates, in the order of the records; the first and the last line are no candidates."""
    rows = (json.loads(line) for line in lines)
    return [row["score"] for row in rows if "row" in row and "score" in row]


def generations(scores):
    """(best so far, median) of each generation."""
    best, pairs = math.inf, []
    for start in range(0, len(scores), GENERATION):
        group = scores[start:start + GENERATION]
        best = min(best, *group)
        pairs.append((best, statistics.median(group)))
    return pairs


def height_of(score):
    """The place of a score on the logarithmic axis."""
    low, high = math.log(18), math.log(280)
    return TOP + PLOT_HEIGHT * (high - math.log(score)) / (high - low)


def path_of(values, kind):
    """A stepped line through one value for each generation."""
    step = PLOT_WIDTH / len(values)
    points = [f"M{LEFT},{height_of(values[0]):.1f}"]
    for at, value in enumerate(values):
        points.append(f"V{height_of(value):.1f}H{LEFT + step * (at + 1):.1f}")
    return f'<path class="{kind}" d="{"".join(points)}"/>'


def chart(scores):
    """The left half: axes, the proved optimum, both lines."""
    pairs = generations(scores)
    parts = [f'<text class="title" x="{LEFT}" y="24">From random WebAssembly to the proved optimum</text>',
             f'<text class="faint" x="{LEFT}" y="44">score of a sorting network for 8 inputs; lower is better</text>']
    for tick in TICKS:
        y = height_of(tick)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{LEFT + PLOT_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'
                     f'<text class="faint" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick}</text>')
    optimum = height_of(19)
    parts += [f'<line class="optimum" x1="{LEFT}" x2="{LEFT + PLOT_WIDTH}" y1="{optimum:.1f}" y2="{optimum:.1f}"/>',
              path_of([median for _, median in pairs], "median"), path_of([best for best, _ in pairs], "best"),
              f'<text class="median-text" x="{LEFT + PLOT_WIDTH - 6}" y="{height_of(pairs[-1][1]) + 20:.1f}" text-anchor="end">'
              "median of each generation</text>",
              f'<text class="best-text" x="{LEFT + PLOT_WIDTH - 6}" y="{height_of(23.5):.1f}" text-anchor="end">best so far</text>',
              f'<text class="faint" x="{LEFT}" y="{TOP + PLOT_HEIGHT + 24}">0</text>',
              f'<text class="faint" x="{LEFT + PLOT_WIDTH}" y="{TOP + PLOT_HEIGHT + 24}" text-anchor="end">'
              f"{len(scores):,} sandboxed candidates</text>"]
    return parts


def network(rows):
    """The right half: evolve's drawing with lines in place of characters."""
    columns = [at for at in range(len(rows[0])) if any(row[at] == "●" for row in rows)]
    step = NETWORK_WIDTH / (len(columns) + 1)
    wire = PLOT_HEIGHT / (len(rows) // 2)
    parts = [f'<text class="title" x="{NETWORK_LEFT}" y="24">The network that was found</text>']
    ends = 0
    for row in range(0, len(rows), 2):
        y = TOP + wire * row / 2
        parts.append(f'<line class="wire" x1="{NETWORK_LEFT}" x2="{NETWORK_LEFT + NETWORK_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>')
    for number, column in enumerate(columns, 1):
        x = NETWORK_LEFT + step * number
        dots = [row for row in range(0, len(rows), 2) if rows[row][column] == "●"]
        ends += len(dots)
        for upper, lower in zip(dots[::2], dots[1::2]):
            top, bottom = TOP + wire * upper / 2, TOP + wire * lower / 2
            parts.append(f'<line class="comparator" x1="{x:.1f}" x2="{x:.1f}" y1="{top:.1f}" y2="{bottom:.1f}"/>'
                         f'<circle class="end" cx="{x:.1f}" cy="{top:.1f}" r="4"/><circle class="end" cx="{x:.1f}" cy="{bottom:.1f}" r="4"/>')
    parts.insert(1, f'<text class="faint" x="{NETWORK_LEFT}" y="44">{ends // 2} comparators; 19 are proved to be the fewest</text>')
    return parts


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: evolution.py RECORDS DRAWING")
    with open(sys.argv[1], encoding="utf-8") as records:
        scores = scores_of(records)
    with open(sys.argv[2], encoding="utf-8") as text:
        rows = [line for line in text.read().splitlines() if line and line[0] in "─ " and set(line) <= set("─ ●│┼")]
    if not scores or not rows:
        sys.exit("evolution.py: the records have no scores, or the text has no drawing; make both with evolve sorting-network")
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img" '
          'aria-label="The best score of an evolution falls to 19 comparators, and the sorting network that was found">')
    print(STYLE, *chart(scores), *network(rows), "</svg>", sep="\n")


if __name__ == "__main__":
    main()
