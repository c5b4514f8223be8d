#!/bin/sh
# Runs an example and compares what it prints with a file: compare.sh EXPECTED PROGRAM ARGUMENT...
expected=$1
shift
printed=$("$@") || { printf '%s\n' "$printed"; echo "the example ended with an error" >&2; exit 1; }
printf '%s\n' "$printed" | diff -u "$expected" -
