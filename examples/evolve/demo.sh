#!/usr/bin/env bash
# The demo: evolves a sorting network, makes a page of what happened, and has every record verified.
# usage: demo.sh FOLDER_OF_PROGRAMS OUTPUT_FOLDER
set -u

if [ $# -ne 2 ] || [ ! -x "$1/evolve" ] || [ ! -x "$1/petri" ]; then
  echo "usage: demo.sh FOLDER_OF_PROGRAMS OUTPUT_FOLDER (build evolve and petri with: make demo)" >&2
  exit 4
fi
programs=$1 output=$2
mkdir -p "$output" || exit 5
# Two at once would write the same records. Held until this script has ended.
exec 9>>"$output/.lock" || exit 5
if ! flock --nonblock 9; then
  echo "demo: another demo is writing to $output; wait for it or stop it, then run this again" >&2
  exit 4
fi

if [ -t 1 ]; then
  bold=$'\e[1m' plain=$'\e[0m'
else
  bold='' plain=''
fi

# step WHAT COMMAND ARGUMENTS...: says what comes, types the command, runs it, and ends the demo when it fails. The exit
# code $incomplete is petri verify's where all is the same but for what it cannot repeat: scores that evolve gave.
incomplete=7
step() {
  printf '\n%s%s%s\n\n  $ %s\n\n' "$bold" "$1" "$plain" "${*:2}"
  shift
  "$programs/$1" "${@:2}"
  local code=$?
  if [ $code -ne 0 ] && { [ "$1 $2" != 'petri verify' ] || [ $code -ne $incomplete ]; }; then
    echo "demo: $1 ended with code $code" >&2
    exit "$code"
  fi
}

step 'Evolution: from random WebAssembly to the smallest network that sorts 8 inputs, each candidate in its own sandbox' \
  evolve sorting-network --inputs 8 --seed "${SEED:-1}" --records "$output/records.jsonl"
step 'Verification: every candidate is run again; values, fuel and receipts are compared, scores are not, as evolve gave them (incomplete)' \
  petri verify "$output/records.jsonl"
step 'Report: one page that needs nothing else' \
  petri report "$output/records.jsonl" -o "$output/report.html"

printf '\n%sOpen %s/report.html in a browser. More to evolve: %s/evolve --help. What petri does to hostile guests: make tour.%s\n' \
  "$bold" "$output" "$programs" "$plain"
