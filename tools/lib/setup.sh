# Sourced by the tools: says what it does, and installs what is missing.

say() { printf '\n== %s\n' "$*"; }

# need_packages NAME…: installs the Debian packages that are not there yet.
need_packages() {
  missing=
  for name in "$@"; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' ||
      missing="$missing $name"
  done
  [ -n "$missing" ] || return 0
  say "Installing Debian packages:$missing"
  if [ "$(id -u)" = 0 ]; then as_root=; else as_root=sudo; fi
  if [ -n "$as_root" ] && ! command -v sudo >/dev/null; then
    echo "These need root and there is no sudo. As root, run: apt-get install$missing" >&2
    exit 1
  fi
  $as_root apt-get update -qq
  # shellcheck disable=SC2086  # The names are words.
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq --no-install-recommends $missing \
    >/dev/null
}

need_swift() {
  command -v swift >/dev/null || {
    echo "A Swift toolchain of version 6.2 or newer must be on PATH: https://www.swift.org/install" >&2
    exit 1
  }
}

build_packages="libsqlite3-dev libinotifytools0-dev zlib1g-dev"
