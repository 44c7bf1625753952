# Sourced by the tools: says what it does, and installs what is missing.

say() { printf '\n== %s\n' "$*"; }

# at_end COMMAND: runs it when the script ends, also if a signal ends it. A trap of the signals alone
# would run it and go on with the script; and one of EXIT alone is not run by dash at a signal.
at_end() {
  # shellcheck disable=SC2064  # It is the command that is given now.
  trap "$1" EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

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
  # Debian starts a service that it installs, such as a file server, unless this says no.
  # shellcheck disable=SC2016,SC2086  # The script is for the other shell; the names are words.
  $as_root sh -ec '
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
      trap "rm -f $policy" EXIT
      trap "exit 129" HUP
      trap "exit 130" INT
      trap "exit 143" TERM
      printf "#!/bin/sh\nexit 101\n" >"$policy"
      chmod 755 "$policy"
    fi
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
  ' install $missing
}

need_swift() {
  command -v swift >/dev/null || {
    echo "A Swift toolchain of version 6.2 or newer must be on PATH: https://www.swift.org/install" >&2
    exit 1
  }
}

build_packages="libsqlite3-dev libinotifytools0-dev zlib1g-dev libxml2-dev pkgconf"
