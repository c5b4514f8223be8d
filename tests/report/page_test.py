#!/usr/bin/env python3
"""Makes records with real candidates, a page of them with `petri report`, and looks at the page in Chromium."""
import argparse
import json
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from browser import Browser

ROWS = 2_000
TOP = 12
RUDE = "<script>document.title = 'owned'</script><img id=owned src=x onerror=\"document.title = 'owned'\">"
options = None


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="petri-report-"))
        cls.records = Path(cls.folder) / "evolution.jsonl"
        cls.page = Path(cls.folder) / "report.html"
        run(options.evolution, cls.records, ROWS, RUDE)
        run(options.petri, "report", cls.records, "-o", cls.page, "--top", TOP)
        lines = [json.loads(line) for line in cls.records.read_text(encoding="utf-8").splitlines()]
        cls.rows = [line for line in lines if "row" in line]
        cls.scores = [row["score"] for row in cls.rows if isinstance(row.get("score"), (int, float))]
        cls.browser = cls.enterClassContext(Browser())

    def setUp(self):
        self.browser.size(1280, 900)
        self.browser.colours("light")
        self.browser.open(self.page.as_uri())

    def look(self, script):
        return self.browser.evaluate(script)

    def test_fetches_nothing_and_says_nothing_on_the_console(self):
        self.browser.console()
        self.browser.requests()
        self.browser.open(self.page.as_uri())
        self.assertEqual(self.browser.console(), [])
        fetched = [address for address in self.browser.requests() if not address.startswith("data:")]
        self.assertEqual(fetched, [self.page.as_uri()])

    def test_takes_no_text_of_a_candidate_for_markup(self):
        self.assertEqual(self.look("return document.title"), "evolution.jsonl · petri report")
        self.assertEqual(self.look("return document.querySelectorAll('script, img, #owned').length"), 0)
        text = self.look("return document.body.textContent")
        self.assertIn("<script>document.title = 'owned'</script>", text)
        self.assertIn("</p><b id=owned>", text)

    def test_draws_the_best_so_far_down_to_the_best(self):
        box = self.look("const r = document.querySelector('path.best').getBoundingClientRect(); return [r.width, r.height]")
        self.assertGreater(box[0], 900)
        self.assertGreater(box[1], 100)
        last = self.look("return document.querySelector('.step.last title').textContent")
        self.assertEqual(last, f"row {self.first_row_of_best():,}: {min(self.scores):.6g}")

    def test_puts_the_last_step_at_the_lower_edge_of_the_curve(self):
        distance = self.look("""
            const curve = document.querySelector('path.best').getBoundingClientRect();
            const dot = document.querySelector('.step.last').getBoundingClientRect();
            return Math.abs(curve.bottom - (dot.top + dot.bottom) / 2)""")
        self.assertLess(distance, 3)

    def test_draws_a_dot_for_each_of_the_sample(self):
        dots = self.look("return document.querySelector('path.cloud').getAttribute('d').split('M').length - 1")
        self.assertGreater(dots, 500)
        self.assertLessEqual(dots, 1_500)

    def first_row_of_best(self):
        return next(row["row"] for row in self.rows if row.get("score") == min(self.scores))

    def test_has_a_bar_for_each_way_to_end_as_long_as_its_share(self):
        ends = Counter(row.get("outcome") or row["error"] for row in self.rows)
        bars = self.look("""
            return [...document.querySelectorAll('tr[data-end]')].map(row => {
              const [rail, bar] = row.nextElementSibling.querySelectorAll('rect');
              return [row.dataset.end, bar.getBoundingClientRect().width / rail.getBoundingClientRect().width];
            })""")
        self.assertEqual({end for end, _ in bars}, set(ends))
        self.assertGreaterEqual(len(bars), 6)
        for end, share in bars:
            self.assertAlmostEqual(share, ends[end] / ROWS, delta=0.003, msg=end)

    def test_has_fuel_bars_as_high_as_their_counts(self):
        bars = self.look("""
            return [...document.querySelectorAll('#fuel g')].map(bar => [
              bar.querySelector('title').textContent,
              [...bar.querySelectorAll('rect')].reduce((sum, part) => sum + part.getBoundingClientRect().height, 0)])""")
        counts = []
        for title, _ in bars:
            counts.append(sum(int(word.replace(",", "")) for word in title.split(": ")[1].replace(" ok", "").replace(" not", "").split(", ")))
        self.assertEqual(sum(counts), sum(1 for row in self.rows if row.get("fuel", 0) > 0))
        highest = max(height for _, height in bars)
        self.assertGreater(highest, 100)
        for count, (title, height) in zip(counts, bars):
            self.assertAlmostEqual(height / highest, count / max(counts), delta=0.02, msg=title)

    def test_lists_the_best_each_artifact_once(self):
        scores = self.look("return [...document.querySelectorAll('table.best tbody td:nth-child(2) span')].map(e => e.title)")
        artifacts = {row["artifact"]: row["score"] for row in reversed(self.rows) if isinstance(row.get("score"), (int, float))}
        self.assertEqual([float(score) for score in scores], sorted(artifacts.values())[:TOP])

    def test_shows_whole_hashes_to_who_copies_them(self):
        shown = self.look("const e = document.querySelector('table.best tbody .hash'); return [e.textContent, e.offsetWidth]")
        self.assertEqual(len(shown[0]), 64)
        self.assertLess(shown[1], 120)

    def test_lists_ancestors_from_the_best_back_to_a_random_one(self):
        steps = self.look("return [...document.querySelectorAll('ol.lineage li')].map(e => e.innerText)")
        self.assertGreater(len(steps), 3)
        self.assertTrue(steps[0].startswith(f"{min(self.scores):.6g}"), steps[0])
        self.assertIn("random", steps[-1])
        self.assertIn("generation 0", steps[-1])

    def test_fits_the_window_wide_and_narrow(self):
        for width in (1280, 700, 400):
            self.browser.size(width, 900)
            overflow = self.look("return document.documentElement.scrollWidth - innerWidth")
            self.assertLessEqual(overflow, 0, f"at {width} pixels")
            outside = self.look("""
                return [...document.querySelectorAll('section, .tile, svg text')].filter(e => {
                  const box = e.getBoundingClientRect();
                  return box.left < -0.5 || box.right > innerWidth + 0.5 || box.width === 0;
                }).map(e => e.outerHTML.slice(0, 100))""")
            self.assertEqual(outside, [], f"at {width} pixels")

    def test_keeps_labels_of_charts_apart(self):
        for width in (1280, 400):
            self.browser.size(width, 900)
            touching = self.look("""
                const found = [];
                for (const chart of document.querySelectorAll('svg.chart')) {
                  const boxes = [...chart.querySelectorAll('text')].map(e => [e.textContent, e.getBoundingClientRect()]);
                  boxes.forEach(([a, p], i) => boxes.slice(i + 1).forEach(([b, q]) => {
                    if (p.left < q.right && q.left < p.right && p.top < q.bottom && q.top < p.bottom) found.push([a, b]);
                  }));
                }
                return found""")
            self.assertEqual(touching, [], f"at {width} pixels")

    def test_can_be_read_in_light_and_dark(self):
        for scheme in ("light", "dark"):
            self.browser.colours(scheme)
            contrasts = self.look("""
                const luminance = colour => {
                  const parts = colour.match(/[\\d.]+/g).slice(0, 3).map(part => {
                    const c = part / 255;
                    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
                  });
                  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
                };
                const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                const paper = luminance(getComputedStyle(document.querySelector('section')).backgroundColor);
                const of = (selector, property) =>
                  contrast(luminance(getComputedStyle(document.querySelector(selector))[property]), paper);
                return {paper, text: of('td', 'color'), soft: of('small', 'color'), labels: of('.chart text', 'fill'),
                        curve: of('path.best', 'stroke')}""")
            self.assertEqual(contrasts["paper"] < 0.5, scheme == "dark")
            for what in ("text", "soft", "labels"):
                self.assertGreaterEqual(contrasts[what], 4.5, f"{what} in {scheme}")
            self.assertGreaterEqual(contrasts["curve"], 3, scheme)

    def test_tells_screen_readers_what_each_chart_shows(self):
        labels = self.look("return [...document.querySelectorAll('svg.chart, svg.bar')].map(e => [e.getAttribute('role'), e.getAttribute('aria-label')])")
        self.assertGreaterEqual(len(labels), 8)
        for role, label in labels:
            self.assertEqual(role, "img")
            self.assertGreater(len(label), 5)

    def test_stays_the_same_without_scripts(self):
        with_scripts = self.look("return document.body.innerHTML.length")
        self.browser.scripts(False)
        try:
            self.browser.open(self.page.as_uri())
        finally:
            self.browser.scripts(True)
        self.assertEqual(self.look("return document.body.innerHTML.length"), with_scripts)


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--petri", required=True, type=Path, help="the command that is tested")
    parser.add_argument("--evolution", required=True, type=Path, help="the program that makes the records")
    options, rest = parser.parse_known_args()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
