#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the RPM packages of packaging/pmon.spec from the source tarball (scripts/dist.sh) with Debian's rpmbuild: the
# definitions below complete its macros, and --nodeps replaces the names of another distribution's packages. Then: the
# spec names the libraries that meson found; rpmlint; each package has the files of the Debian package with the same
# modes, if BUILD-FOLDER has Debian packages. With CLEAN, a clean system with the dependencies (check.sh), rpm installs
# them there; they are tested and erased. Whether an RPM distribution resolves the dependencies is not tested. Usage:
# rpm.sh BUILD-FOLDER [CLEAN]
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$1 root=${2-} failed=0
for tool in rpmbuild rpm; do
  command -v $tool >/dev/null || { echo "SKIPPED: no $tool (Debian: rpm)" >&2; exit 77; }
done
. tests/packages/clean.sh
version=$(sh scripts/version.sh)
work=$(mktemp -d) || exit 1
trap 'rm -rf --one-file-system "$work"' EXIT
verdict() { # STATUS TEXT
  [ "$1" -eq 0 ] && echo "ok: $2" || { echo "FAILED: $2"; failed=1; }
}

[ -f "$build/dist/pmon-$version.tar.xz" ] || sh scripts/dist.sh "$build" >/dev/null || exit 1
mkdir "$work/SOURCES" && cp "$build/dist/pmon-$version.tar.xz" "$work/SOURCES/"
rpmbuild -ba --nodeps --quiet --define "_topdir $work" \
  --define 'meson meson setup --buildtype=debugoptimized --prefix=/usr --libdir=lib64 build' \
  --define 'meson_build ninja -C build' --define 'meson_install DESTDIR=%{buildroot} meson install -C build --no-rebuild --quiet' \
  --define '_vpath_builddir build' --define '_libdir /usr/lib64' --define '_unitdir /usr/lib/systemd/system' \
  --define 'python3_sitelib /usr/lib/python3/site-packages' --define 'debug_package %{nil}' \
  --define 'systemd_post() : post %*' --define 'systemd_preun() : preun %*' \
  --define 'systemd_postun_with_restart() : postun %*' \
  packaging/pmon.spec >"$work/log" 2>&1
status=$?
rm -rf "$build/rpm" && mkdir "$build/rpm" && find "$work/RPMS" "$work/SRPMS" -name '*.rpm' -exec cp {} "$build/rpm/" \;
verdict $status "$(find "$build/rpm" -name '*.rpm' | wc -l) packages in $build/rpm"
[ $status -eq 0 ] || { tail -n 30 "$work/log"; exit 1; }

rpm_of() { find "$build/rpm" -name "$1-$version-*.rpm" ! -name '*.src.rpm'; }
deb_of() { find "$build/deb" -name "$1_*.deb" 2>/dev/null; }
# Prints "MODE FILE" of all files except folders, documents, and files that only one system has. Whether manual pages
# are compressed depends on the system; shared libraries are executable in RPM packages only.
same() { sed 's/\.gz$//; s/^-rwxr-xr-x \(.*\.so[.0-9]*\)$/-rw-r--r-- \1/' | sort -k 2; }
rpm_files() {
  rpm -qp --nosignature --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "$1" |
    grep -Ev '^d|/usr/share/(doc|licenses)/|/\.build-id|/__pycache__' | same
}
deb_files() {
  dpkg-deb -c "$1" | awk '!/^d/ { print $1, substr($6, 2) }' | grep -Ev '/usr/share/(doc|lintian)/' |
    sed 's,/lib/x86_64-linux-gnu,/lib64,; s,dist-packages,site-packages,; s, /lib/systemd, /usr/lib/systemd,' | same
}
for pair in pmon:pmon pmon-machine:pmon-machine pmon-exporter:pmon-exporter pmon-libs:libpmon0 pmon-devel:libpmon-dev \
  python3-pmon:python3-pmon; do
  rpm=$(rpm_of "${pair%:*}") deb=$(deb_of "${pair#*:}")
  rpm_files "$rpm" >"$work/rpm.files"
  if [ -z "$deb" ]; then
    verdict "$([ -s "$work/rpm.files" ]; echo $?)" "${pair%:*}: $(wc -l <"$work/rpm.files") files; no Debian package in $build/deb"
  else
    deb_files "$deb" >"$work/deb.files"
    diff "$work/deb.files" "$work/rpm.files"
    verdict $? "${pair%:*}: the $(wc -l <"$work/deb.files") files of Debian's ${pair#*:}"
  fi
done

scripts=$(rpm -qp --nosignature --scripts "$(rpm_of pmon-exporter)" | grep -c 'pmon-exporter.service')
verdict "$([ "$scripts" -eq 3 ]; echo $?)" "the exporter's units are in three scripts"

# Libraries that the build found, by the names of their pkg-config files; cmocka is for tests only.
found=$(meson introspect "$build" --dependencies | python3 -c '
import json, sys
for d in sorted({d["name"] for d in json.load(sys.stdin)} - {"threads", "cmocka"}): print(d)')
missing=
for name in $found; do
  grep -q "^BuildRequires:  pkgconfig($name)" packaging/pmon.spec || missing="$missing $name"
done
verdict "$([ -n "$found" ] && [ -z "$missing" ]; echo $?)" "the spec has each library of the build${missing:+, but:$missing}"

if command -v rpmlint >/dev/null; then
  rpmlint packaging/pmon.spec "$build"/rpm/*.rpm >"$work/lint" 2>&1
  # docs/releasing.md has the reason of each.
  without='no-(signature|packager-tag|group-tag|binary|dependency-on)|(static-)?library-without-(debuginfo|ldconfig-post[iu]n)'
  without="$without|lib-package-without-%mklibname|shlib-policy-name-error|outside-libdir-files"
  without="$without|non-versioned-file-in-library-package|missing-call-to-setgroups-before-setuid|missing-hash-section"
  grep ' E: ' "$work/lint" | grep -vE " E: ($without)( |\$)" >"$work/errors"
  verdict "$([ -s "$work/errors" ]; echo $((1 - $?)))" "rpmlint has no error besides those of docs/releasing.md"
  cat "$work/errors"
else
  echo "SKIPPED: no rpmlint"
fi

[ -n "$root" ] || { echo "not installed: no clean system was given"; exit $failed; }
mkdir -p "$root/packages" && cp debian/tests/smoke "$root/packages/"
echo /usr/lib64 >"$root/etc/ld.so.conf.d/lib64.conf" # the folder for libraries on RPM systems of this architecture
installed="pmon pmon-libs pmon-devel pmon-machine pmon-exporter python3-pmon"
paths=$(for name in $installed; do rpm_of "$name"; done)
# shellcheck disable=SC2086
rpm --root "$(realpath "$root")" --install --nodeps --nosignature --force-debian $paths >"$work/log" 2>&1
verdict $? "installed by rpm" || cat "$work/log"
in_clean "$root" ldconfig
# RPM distributions also package compiled Python files.
in_clean "$root" env PYTHONPATH=/usr/lib/python3/site-packages PYTHONDONTWRITEBYTECODE=1 sh /packages/smoke
verdict $? "smoke test"
# shellcheck disable=SC2086
rpm --root "$(realpath "$root")" --erase --nodeps --force-debian $installed >"$work/log" 2>&1
verdict $? "erased" || cat "$work/log"
left=$(find "$root" -xdev -path "$root/packages" -prune -o -iname '*pmon*' -print)
verdict "$([ -z "$left" ]; echo $?)" "nothing is left${left:+: $left}"
exit $failed
