# SPDX-License-Identifier: MIT
# Sourced: source packages of the distribution without root and without changes to the system's apt settings. They are
# read from a copy of the system's source lists that includes source packages.

# private_lists FOLDER: fetches the package lists of the sources in FOLDER/parts, and sets APT_CONFIG.
private_lists() {
  cat >"$1/apt.conf" <<END
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$1/parts";
Dir::State::lists "$1/lists";
Dir::Cache "$1/cache";
APT::Sandbox::User "";
END
  export APT_CONFIG="$1/apt.conf"
  apt-get -qq update >/dev/null 2>&1
}

# private_sources FOLDER: makes the copy in FOLDER, fetches the package lists, and sets APT_CONFIG for apt-get source.
private_sources() {
  mkdir -p "$1/parts" "$1/lists/partial" "$1/cache/archives/partial" || return 1
  for list in /etc/apt/sources.list.d/*.sources; do
    [ -f "$list" ] && sed 's/^Types:.*/Types: deb-src/' "$list" >"$1/parts/$(basename "$list")"
  done
  for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$list" ] && sed -n 's/^deb /deb-src /p' "$list" >"$1/parts/$(basename "$list" .list)-src.list"
  done
  private_lists "$1"
}

# private_binaries FOLDER RELEASE: likewise for packages of RELEASE (bookworm-backports), from the mirrors in the
# system's source lists; its settings contain no other release.
private_binaries() {
  mkdir -p "$1/parts" "$1/lists/partial" "$1/cache/archives/partial" || return 1
  cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null |
    sed -n 's/^URIs: *//p; s/^deb  *\(\[.*\] *\)\{0,1\}\(http[^ ]*\).*/\2/p' | grep -v security | sort -u |
    sed "s|.*|deb & $2 main|" >"$1/parts/all.list"
  private_lists "$1"
}
