# Read by tools/setup, tools/build and tools/fresh, in the folder of the tree: the versions petri needs, and how to compare them.

# Rust for this user comes before what the system has, which is usually older.
PATH="${CARGO_HOME:-${HOME:-/nonexistent}/.cargo}/bin:$PATH"

# Each minimum stands in the file of the tool that enforces it.
rust_min() { sed -n 's/^rust-version = "\(.*\)"$/\1/p' engine/Cargo.toml; }
cmake_min() { sed -n 's/^cmake_minimum_required(VERSION \(.*\))$/\1/p' CMakeLists.txt; }

rust_version() { rustc --version 2>/dev/null | cut --delimiter=' ' --fields=2; }
cmake_version() { cmake --version 2>/dev/null | sed -n '1s/^cmake version \([0-9.]*\).*/\1/p'; }

# True when the version in $1 is at least the one in $2.
at_least() { [[ -n $1 && $(printf '%s\n%s\n' "$2" "$1" | sort --version-sort | head --lines=1) == "$2" ]]; }

# free_megabytes FOLDER: what the file system of this folder has left.
free_megabytes() { df --output=avail --block-size=1M "$1" 2>/dev/null | tail --lines=1 | tr --delete ' '; }

# stop_if_full SAID FOLDER: stops if that is what a program says of a disk without space, without inodes or beyond a quota.
stop_if_full() {
  ! grep --quiet --ignore-case 'no space left\|quota exceeded' <<<"$1" || stop "the disk is full: nothing can be written to $2; free some space, then run this again"
}

# Makes a temporary file and prints its name. Compilers make some too, where the same variable says.
temporary_file() {
  local said
  if said=$(LC_ALL=C mktemp 2>&1); then echo "$said" && return; fi
  stop_if_full "$said" "${TMPDIR:-/tmp}"
  stop "no temporary file can be made in ${TMPDIR:-/tmp}; make that a folder that can be written, or set TMPDIR to another"
}

# say and stop speak in the name of the tool that reads this file, which is in $tool; stop also ends it.
say() { echo "$tool: $*"; }
stop() {
  echo "$tool: $*" >&2
  exit 1
}
