"""A small tree with petri's own tools in it, and programs that stand in for those of a system, so that each can be missing."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The programs of every Debian that the tools use. All others are missing unless a test puts them into the path.
EVERYWHERE = """awk bash cat comm cp cut dirname du env find flock git grep head ls make mkdir mktemp mv ninja nproc paste rm sed setpriv
  sh sort tail tar touch tr true uname"""

# Packages count as installed once apt-get has installed anything.
SYSTEM = {
    "apt-get": """case "$*" in
  *--print-uris*) echo "${APT_PLAN:-Need to get 90.4 MB of archives.
After this operation, 370 MB of additional disk space will be used.}"; [[ -z ${APT_PLAN:-} ]] || exit 100 ;;
  *--download-only*) [[ -z ${APT_FAILS:-} ]] || { echo "$APT_FAILS" >&2; exit 100; } ;;
  *" install "*) [[ -z ${DPKG_FAILS:-} ]] || { echo "$DPKG_FAILS" >&2; exit 100; }; touch "$STAND_INS/installed" ;;
esac""",
    "apt-cache": """case $1 in pkgnames) printf 'libclang-rt-%s-dev-wasm32\\n' 14 19 22 ;; show) echo "Package: ${*: -1}" ;; esac""",
    "dpkg-query": """[[ -e $STAND_INS/installed ]] || exit 1
for word in "$@"; do case $word in --*format=*Package*) both=yes ;; --*) ;; *) echo "installed${both:+ $word}" ;; esac; done""",
    "df": 'echo Avail; echo "${FREE:-100000}"',
    "id": 'echo "${FAKE_USER:-0}"',
    "rustc": 'echo "rustc ${RUST:-1.95.0} (of a stand-in)"',
    "cargo": "true",
    "c++": "true",
    "cmake": """case $1 in
  --version) echo "cmake version ${CMAKE:-3.25.1}" ;;
  --build) exit "${BUILD_FAILS:-0}" ;;
  *) exit "${CONFIGURE_FAILS:-0}" ;;
esac""",
}


class TreeTest(unittest.TestCase):
    """A test with a tree of its own, `self.tree`, and its stand-ins in `self.stand_ins`."""

    tree_name = "tree"

    @classmethod
    def setUpClass(cls):
        cls.programs = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.programs)
        cls.programs.chmod(0o755)
        for name in EVERYWHERE.split():
            (cls.programs / name).symlink_to(shutil.which(name))

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.folder.chmod(0o755)
        self.stand_ins = self.folder / "stand_ins"
        self.stand_ins.mkdir()
        self.tree = self.folder / self.tree_name
        shutil.copytree(ROOT / "tools", self.tree / "tools", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "CMakePresets.json", self.tree)
        shutil.copy(ROOT / "CMakeLists.txt", self.tree)
        (self.tree / "engine").mkdir()
        shutil.copy(ROOT / "engine" / "Cargo.toml", self.tree / "engine")

    def stand_in(self, *names, **scripts):
        """Puts stand-ins of these names into the path: those of SYSTEM, or scripts of the test's own."""
        for name, script in {**{name: SYSTEM[name] for name in names}, **scripts}.items():
            path = self.stand_ins / name.replace("_", "-")
            path.unlink(missing_ok=True)
            path.write_text(f"#!{self.programs}/bash\necho \"{path.name} $*\" >>\"$STAND_INS/calls\"\n{script}\n")
            path.chmod(0o755)

    def real(self, *names):
        """Puts these programs of this system into the path."""
        for name in names:
            (self.stand_ins / name).unlink(missing_ok=True)
            (self.stand_ins / name).symlink_to(shutil.which(name))

    def path_without(self, *names):
        """A path where these programs are missing."""
        fewer = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for program in self.programs.iterdir():
            if program.name not in names:
                (fewer / program.name).symlink_to(program)
        for name in names:
            (self.stand_ins / name).unlink(missing_ok=True)
        return f"{self.stand_ins}:{fewer}"

    def run_tool(self, *command, before=(), **variables):
        """(exit code, everything said) of a tool of the tree."""
        environment = {"PATH": f"{self.stand_ins}:{self.programs}", "HOME": str(self.folder), "STAND_INS": str(self.stand_ins)}
        run = subprocess.run([*before, *command], cwd=self.tree, env={**environment, **variables}, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, timeout=120)
        return run.returncode, run.stdout

    def calls(self):
        """What the stand-ins were called with so far, one a line."""
        file = self.stand_ins / "calls"
        return file.read_text() if file.exists() else ""

    def assert_stops(self, result, sentence):
        """The tool ended with exit code 1, and this sentence was the last thing it said."""
        code, said = result
        self.assertEqual((code, said.splitlines()[-1:]), (1, [sentence]), said)

    def assert_works(self, result):
        self.assertEqual(result[0], 0, result[1])
        return result[1]


def drop_root():
    """What comes before a command so that it runs as a user who is not root."""
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []
