#!/bin/sh
# Compiles the guest, calls it, and replaces its code while it runs: ./test.sh
set -eu
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

expect() { # WANTED GOT WHAT
  if [ "$1" != "$2" ]; then
    echo "test.sh: $3 gave \"$2\" instead of \"$1\"" >&2
    exit 1
  fi
}

petri compile . -o build
expect 5 "$(petri run 'build/@NAME@.wasm' --call add --args 2 3 --quiet)" 'add 2 3'

# The same guest, but for an edit: the count of before is kept.
sed '@EDIT@' '@FILE@' >"$scratch/@FILE@"
cat >"$scratch/session" <<END
create @NAME@ @FILE@
call @NAME@ next
call @NAME@ next
reload @NAME@ $scratch/@FILE@
call @NAME@ next
END
petri shell --stop-on-error "$scratch/session" >"$scratch/answers"
expect '1 2 12' "$(grep -x '[0-9]*' "$scratch/answers" | tr '\n' ' ' | sed 's/ $//')" 'next, before and after the edit'
echo 'test.sh: all is well'
