# Read by tools/setup and tools/check/format: which Debian packages each level needs, beyond those of the level before it.

# Clang formats differently from version to version, so the version that checks the format is fixed.
format_clang=22
# The oldest clang whose guests the tests have run.
guest_clang_min=19

# What building and running petri and the demo needs; git is not needed, because the tree is there already.
demo_packages() {
  echo g++ cmake ninja-build make pkgconf mold libfmt-dev nlohmann-json3-dev libcli11-dev libedit-dev libsqlite3-dev ca-certificates
}

# What `make test` needs: libraries (libcurl is for one example), Erlang for the supervisor's model, clang for guests and bubblewrap for its jail, a browser for the page of petri
# report, groff for the manual pages, Doxygen for the reference of the headers, fish and zsh for their completions, and clang-format because the format is checked.
test_packages() {
  local clang=$1
  echo git python3 libgtest-dev libgmock-dev libspdlog-dev libcurl4-openssl-dev erlang-base chromium chromium-driver groff-base doxygen fish zsh
  echo "clang-$clang" "lld-$clang" wasi-libc "libclang-rt-$clang-dev-wasm32" "libc++-$clang-dev-wasm32" "libc++abi-$clang-dev-wasm32" bubblewrap
  if is_offered "clang-format-$format_clang"; then echo "clang-format-$format_clang"; fi
}

# What `make tidy`, `make coverage`, the sanitizers, libFuzzer, `make fresh` and `make bench-peers` need, and ccache.
dev_packages() {
  echo gcovr ccache mmdebstrap wabt
  if is_offered "clang-tidy-$format_clang"; then echo "clang-$format_clang" "clang-tidy-$format_clang" "libclang-rt-$format_clang-dev"; fi
}

is_installed() { [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }
# True also without apt, and while it has no lists to look into; a fresh machine has none.
is_offered() { is_installed "$1" || ! command -v apt-get >/dev/null || ! has_lists || [[ -n $(apt-cache show --no-all-versions "$1" 2>/dev/null) ]]; }
has_lists() { [[ -n $(find /var/lib/apt/lists -maxdepth 1 -name '*_Packages*' "$@" -print -quit 2>/dev/null) ]]; }

# The newest clang that can build C++ for WASI: of those installed, else of those apt offers. Prints nothing if there is none.
guest_clang() {
  local version
  version=$(installed_names | newest_clang)
  echo "${version:-$(apt-cache pkgnames libclang-rt- 2>/dev/null | newest_clang)}"
}
installed_names() { dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' 'libclang-rt-*' 2>/dev/null | sed -n 's/^installed //p'; }

# Reads names of packages and prints the newest version that one of the compiler's libraries for wasm32 has.
newest_clang() {
  sed -n 's/^libclang-rt-\([0-9]*\)-dev-wasm32$/\1/p' | sort --numeric-sort |
    awk -v min="$guest_clang_min" '$1 >= min { newest = $1 } END { print newest }'
}
