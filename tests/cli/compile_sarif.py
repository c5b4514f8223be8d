#!/usr/bin/env python3
"""C27: the log that `petri compile --format=sarif` prints has the structure that the schema of SARIF 2.1.0 requires.

The parts of the schema that petri uses are written down here; with the package jsonschema and the whole schema in a file that
PETRI_SARIF_SCHEMA names, the log is held to that too. The crate serde-sarif has that file as src/schema.json.
"""

import argparse
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

options = None
SOURCES = {"good.c": "int f(void) { return 1; }\n", "bad.c": "int f(void) {\n  return g(1);\n}\n",
           "a b'ü.c": "#include \"nothing.h\"\n", "text.wat": "(module\n  (fnc))\n"}
LEVELS = {"none", "note", "warning", "error"}


def log_of(folder, source):
    done = subprocess.run([options.petri, "compile", source, "--format=sarif"], cwd=folder, capture_output=True,
                          env={**os.environ, "XDG_CACHE_HOME": f"{folder}/cache"}, check=False)
    return done.returncode, json.loads(done.stdout)


class Sarif(unittest.TestCase):
    def check_log(self, log):
        self.assertEqual(log["version"], "2.1.0")
        self.assertLessEqual(set(log), {"$schema", "version", "runs", "inlineExternalProperties", "properties"})
        for run in log["runs"]:
            self.check_run(run)

    def check_run(self, run):
        self.assertTrue(run["tool"]["driver"]["name"])
        self.assertIn(run["columnKind"], {"utf16CodeUnits", "unicodeCodePoints"})
        self.assertIsInstance(run["invocations"][0]["executionSuccessful"], bool)
        rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        self.assertEqual(len(rules), len(set(rules)))
        for result in run["results"]:
            self.assertIn(result["ruleId"], rules)
            self.assertIn(result["level"], LEVELS)
            self.assertTrue(result["message"]["text"])
            for location in result.get("locations", []):
                self.check_place(location["physicalLocation"])

    def check_place(self, place):
        self.assertRegex(place["artifactLocation"]["uri"], r"^[A-Za-z0-9/._~%-]+$")
        for number in place.get("region", {}).values():
            self.assertGreaterEqual(number, 1)

    def check_whole_schema(self, log):
        schema = os.environ.get("PETRI_SARIF_SCHEMA")
        if schema is None:
            return
        import jsonschema  # pylint: disable=import-outside-toplevel
        jsonschema.validate(log, json.loads(Path(schema).read_text(encoding="utf-8")))

    def test_every_log_has_the_structure(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in SOURCES.items():
                Path(folder, name).write_text(text, encoding="utf-8")
                code, log = log_of(folder, name)
                self.check_log(log)
                self.check_whole_schema(log)
                results = log["runs"][0]["results"]
                self.assertEqual(code, 0 if name == "good.c" else 4)
                self.assertEqual(len(results) > 0, code == 4)
            self.assertEqual(code, 4)

    def test_names_the_place(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "bad.c").write_text(SOURCES["bad.c"], encoding="utf-8")
            _, log = log_of(folder, "bad.c")
            place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
            self.assertEqual(place["artifactLocation"]["uri"], "bad.c")
            self.assertEqual(place["region"], {"startLine": 2, "startColumn": 10})

    def test_counts_columns_in_units_of_utf16(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "bad.c").write_text("int f(void) {\n  /* \u00fc \U0001f600 */ return g(1);\n}\n", encoding="utf-8")
            _, log = log_of(folder, "bad.c")
            region = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
            self.assertEqual(region, {"startLine": 2, "startColumn": 21})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--petri", required=True)
    options, rest = parser.parse_known_args()
    unittest.main(argv=["compile_sarif"] + rest)
