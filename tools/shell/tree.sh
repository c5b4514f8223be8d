# Read by the tools that write into the folder build of the tree, after versions.sh: whether that can be done, and by one at a time.

# check_writable [FILE]...: whether the lock and these files of build can be written.
check_writable() {
  local file said
  for file in build/.lock "$@"; do
    said=$({ export LC_ALL=C; mkdir -p "${file%/*}" && : >>"$file"; } 2>&1) && continue
    stop_if_full "$said" "$PWD"
    stop "$PWD cannot be written to, and everything is built in its folder build; make it writable or clone petri to a folder of your own"
  done
}

# take_lock [FOLDER WHAT]: held until this process, and what it runs with `holding`, have ended. WHAT is what holds it elsewhere.
take_lock() {
  local lock=${1:-build}/.lock
  exec 9>>"$lock"
  flock --nonblock 9 || stop_for_other "$lock" "${2:-another build}"
  { echo $$ >"$lock"; } 2>/dev/null || true # on a full disk, which is seen later, the number is left out
}
stop_for_other() { stop "$2 is running in $PWD (process $(tail --lines=1 "$1")); wait for it or stop it, then run this again"; }

# holding COMMAND...: runs it without the descriptor of the lock, which a server that it leaves behind, such as sccache's, would keep.
# The shell around it keeps the lock until the command has ended, even if this process was killed before.
holding() { ("$@" 9>&-; exit $?); }

# full_place [FOLDER]...: after a failure, says which of the places that builds write to, or of these, is full, "build has 3 MB left";
# fails if none is.
full_place() {
  local place free
  for place in build "${TMPDIR:-/tmp}" "$@"; do
    free=$(free_megabytes "$place")
    [[ -z $free ]] || ((free >= 100)) || { echo "$place has $free MB left" && return; }
  done
  false
}
