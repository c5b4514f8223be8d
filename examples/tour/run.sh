#!/usr/bin/env bash
# A minute's tour of petri: guests are run, stopped by each limit, refused, and timed in both tiers.
# usage: run.sh PETRI_BINARY
set -u

if [ $# -ne 1 ] || [ ! -x "$1" ]; then
  echo "usage: run.sh PETRI_BINARY (build it with: make build)" >&2
  exit 4
fi
petri=$(CDPATH='' cd "$(dirname "$1")" && pwd)/$(basename "$1")
CDPATH='' cd "$(dirname "$0")" || exit 5

if [ -t 1 ]; then
  bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'
else
  bold='' dim='' plain=''
fi
surprises=0

title() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }

# show EXIT_CODE ARGUMENTS...: types `petri ARGUMENTS`, shows what it answers, and notes an exit code that was not expected.
show() {
  local expected=$1 code
  shift
  printf '\n  %s$ petri %s%s\n' "$bold" "$*" "$plain"
  "$petri" "$@" 2>&1 | sed "s/^/    /"
  code=${PIPESTATUS[0]}
  if [ "$code" -ne "$expected" ]; then
    printf '    exit code %s, but %s was expected\n' "$code" "$expected"
    surprises=$((surprises + 1))
  elif [ "$code" -ne 0 ]; then
    printf '    %s[exit %s]%s\n' "$dim" "$code" "$plain"
  fi
}

# field NAME JSON: a number or text of one outcome.
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" <<<"$2"; }

# race FILE ARGUMENT: the same call in both tiers, side by side.
race() {
  local tier answer
  for tier in interpreted compiled; do
    answer=$("$petri" run "guests/$1.wat" --args "$2" --fuel 10000000000 --tier "$tier" --json)
    printf '    %-12s %-12s %10.1f ms   fuel %s   value %s\n' "$1($2)" "$tier" \
      "$(milliseconds "$(field wall_time_ns "$answer")")" "$(field fuel_used "$answer")" \
      "$(sed -n 's/.*"values":\[\([^]]*\)\].*/\1/p' <<<"$answer")"
  done
}
# Nanoseconds as milliseconds with a decimal, without any tool beyond the shell.
milliseconds() { printf '%d.%d' $(($1 / 1000000)) $(($1 / 100000 % 10)); }

title 'Running: a few lines of wat are a guest'
show 0 run guests/add.wat --args 2 3
show 0 run guests/hello.wat

title 'Stopped: every guest has limits, and they hold'
show 3 run guests/spin.wat --fuel 1000000
show 3 run guests/spin.wat --fuel 4000000000000000000 --timeout 50ms
show 0 run guests/greedy.wat --memory 1MiB
show 3 run guests/huge.wat --memory 16MiB
show 3 run guests/recursion.wat --args 1
show 3 run guests/chatter.wat --output_bytes_max 38B
show 3 run guests/trap.wat --args 0
show 3 run guests/quit.wat

title 'Refused: what is not offered, not permitted or not accepted is named before anything runs'
show 4 run guests/phone_home.wat
show 4 run guests/hello.wat --call hello
show 4 run guests/simd.wat
show 0 inspect guests/hello.wat

title 'Two tiers: same values, same fuel; the interpreter starts at once, compiled code runs near native speed'
echo
race fib 27
race sum 40

# compile SOURCE TARGET: with the newest clang that can, by the name the platform has had since wasi-libc was renamed, else by
# the one before.
compile() {
  for clang in $(compgen -c clang- | grep -x 'clang-[0-9]*' | sort -rVu) clang; do
    for platform in wasm32-wasip1 wasm32-wasi; do
      "$clang" --target=$platform -Wno-deprecated -O2 "$1" -o "$2" 2>/dev/null && return
    done
  done
  return 1
}

title 'From C: what clang makes of an ordinary program'
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if compile guests/primes.c "$folder/primes.wasm"; then
  cd "$folder" || exit 5
  show 0 run primes.wasm -- 100000
  show 0 run primes.wasm --tier compiled -- 100000
else
  echo "    left out: there is no clang that builds for WASI (tools/setup test installs one)"
fi

title 'Next: petri run --help, petri inspect FILE, docs/getting-started.md'
[ "$surprises" -eq 0 ] || { echo "$surprises commands ended in another way than this tour says." >&2; exit 5; }
