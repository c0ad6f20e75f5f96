# What a machine must have for ./dev: how it is found, installed and named. Sourced by ./dev.
# shellcheck shell=bash

# The version that `engines` of package.json asks for.
node_wanted=$(sed -n 's/.*"node": ">=\([0-9.]*\)".*/\1/p' "$root/package.json")
# The package of the npm registry with the Node that is used where the system's is older.
node_package=node-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')

has() { command -v "$1" >/dev/null; }
is_at_least() { printf '%s\n%s\n' "$2" "$1" | sort -V -C; }

# Puts a Node that is new enough first on the PATH, for everything that is run from here.
use_node() {
  local own=$data/node/node_modules/$node_package/bin
  has node && has npm || fail 'Node 20 or newer with npm is needed: ./dev doctor'
  is_at_least "$(node -p process.versions.node)" "$node_wanted" && return
  if [ ! -x "$own/node" ]; then
    mkdir -p "$data/node"
    printf '{ "private": true }\n' >"$data/node/package.json"
    step "getting Node 24 from the npm registry, since $(node -v) is older than $node_wanted" node \
      npm install --prefix "$data/node" --ignore-scripts --no-audit --no-fund "$node_package@24"
  fi
  PATH=$own:$PATH
}

# Each server's program is looked for on the PATH and where Debian keeps it.
find_program() {
  PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin command -v "$1"
}

# The folder that has both initdb and postgres; Debian keeps one per version, off the PATH.
find_postgres_bin() {
  local initdb
  for initdb in "$(command -v initdb)" $(printf '%s\n' /usr/lib/postgresql/*/bin/initdb | sort -rV); do
    [ -x "$initdb" ] || continue
    initdb=$(readlink -f -- "$initdb")
    [ -x "${initdb%/*}/postgres" ] || continue
    printf '%s\n' "${initdb%/*}"
    return
  done
  return 1
}

# Debian packages of the servers that are neither given nor found.
missing_packages() {
  [ -n "${DATABASE_URL:-}" ] || find_postgres_bin >/dev/null || echo postgresql
  [ -n "${REDIS_URL:-}" ] || find_program redis-server >/dev/null || echo redis-server
  [ -n "${NATS_URL:-}" ] || find_program nats-server >/dev/null || echo nats-server
}

# Installs Debian packages, where that may be done without asking; says what to do elsewhere.
install_packages() {
  local sudo=()
  [ "$(id -u)" = 0 ] || sudo=(sudo -n)
  has apt-get || fail "please install what $* are on this system, so that ./dev finds them"
  ${sudo[@]+"${sudo[@]}"} true 2>/dev/null || fail "please run: sudo apt-get install --no-install-recommends $*"
  step "installing $* with apt-get" apt-get \
    ${sudo[@]+"${sudo[@]}"} bash "$root/deploy/stack/install-packages.sh" "$@"
}

install_servers() {
  local missing
  missing=$(missing_packages | xargs)
  [ -n "$missing" ] || return 0
  # shellcheck disable=SC2046,SC2086 # lists of words; what `up` prints is tried with curl
  install_packages $missing $(has curl || echo curl)
  missing=$(missing_packages | xargs)
  [ -z "$missing" ] || fail "apt-get installed $missing, but they are not found: ./dev doctor"
}

# schemathesis from the Python package index, in an environment of its own; ready when it has the list it was made of.
install_schemathesis() {
  local own=$data/schemathesis list=$root/test/fuzz/requirements.txt
  export WEIR_SCHEMATHESIS=$own/bin/schemathesis
  cmp -s "$list" "$own/requirements.txt" && return
  # Debian keeps apart what `python3 -m venv` needs
  has python3 && python3 -c 'import ensurepip' 2>/dev/null || install_packages python3-venv
  rm -rf "$own"
  step 'making an environment for schemathesis' venv python3 -m venv "$own"
  step 'installing schemathesis from the Python package index' pip \
    "$own/bin/pip" install --disable-pip-version-check --no-input --only-binary :all: -r "$list"
  cp "$list" "$own/requirements.txt"
}

# Tells the rest of ./dev where the servers' programs are.
find_servers() {
  WEIR_POSTGRES_BIN=$(find_postgres_bin) || true
  WEIR_REDIS_SERVER=$(find_program redis-server) || true
  WEIR_NATS_SERVER=$(find_program nats-server) || true
  export WEIR_POSTGRES_BIN WEIR_REDIS_SERVER WEIR_NATS_SERVER
}

# One line about one thing: what was found, or that it is missing and how to get it.
report() {
  local what=$1 found=$2 how=$3
  if [ -n "$found" ]; then
    printf 'ok       %-12s %s\n' "$what" "$found"
  else
    printf 'missing  %-12s %s\n' "$what" "$how"
    lacks=1
  fi
}

doctor() {
  local lacks=0 apt='apt-get install --no-install-recommends' node='' npm='' tool
  has apt-get || apt='with the package manager of this system, install'
  [ "$(id -u)" = 0 ] || apt="sudo $apt"
  has node && is_at_least "$(node -p process.versions.node)" 20 && node="$(node -v) $(command -v node)"
  if [ -n "$node" ] && ! is_at_least "$(node -p process.versions.node)" "$node_wanted"; then
    node="$node; ./dev gets Node 24 from the npm registry for itself"
  fi
  has npm && npm=$(command -v npm)
  report node "$node" 'Node 20 or newer: https://nodejs.org/en/download'
  report npm "$npm" 'it comes with Node: https://nodejs.org/en/download'
  report postgresql "${DATABASE_URL:+given by DATABASE_URL}$([ -n "${DATABASE_URL:-}" ] || find_postgres_bin || true)" \
    "$apt postgresql (./dev up does, as root or through sudo)"
  report redis "${REDIS_URL:+given by REDIS_URL}$([ -n "${REDIS_URL:-}" ] || find_program redis-server || true)" \
    "$apt redis-server (./dev up does, as root or through sudo)"
  report nats "${NATS_URL:+given by NATS_URL}$([ -n "${NATS_URL:-}" ] || find_program nats-server || true)" \
    "$apt nats-server (./dev up does, as root or through sudo)"
  for tool in git curl; do report "$tool" "$(command -v $tool || true)" "$apt $tool"; done
  [ "$(uname -s)" != Linux ] || report setpriv "$(command -v setpriv || true)" "$apt util-linux"
  return "$lacks"
}
