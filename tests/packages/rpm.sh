#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the RPM packages of packaging/pmon.spec from the last commit, with Debian's rpmbuild, and lists what is in them. What
# a distribution of RPMs has besides, macros and packages' names, is replaced: the macros below, and --nodeps. It shows that
# the spec builds and that its lists of files are complete, not that the packages install.
# Usage: rpm.sh SOURCE FOLDER
set -eu
source=$(realpath "$1")
command -v rpmbuild >/dev/null || { echo "SKIPPED: no rpmbuild (Debian: rpm)" >&2; exit 77; }
mkdir -p "$2"
top=$(realpath "$2")
version=$(sh "$source/scripts/version.sh")
mkdir -p "$top/SOURCES"
git -C "$source" archive --prefix="pmon-$version/" HEAD | xz -0 >"$top/SOURCES/pmon-$version.tar.xz"
rpmbuild -bb --nodeps --quiet --define "_topdir $top" \
  --define 'meson meson setup --buildtype=debugoptimized --prefix=/usr --libdir=lib64 build' \
  --define 'meson_build ninja -C build' --define 'meson_install DESTDIR=%{buildroot} meson install -C build --no-rebuild --quiet' \
  --define '_vpath_builddir build' --define '_libdir /usr/lib64' --define '_unitdir /usr/lib/systemd/system' \
  --define 'python3_sitelib /usr/lib/python3/site-packages' --define 'debug_package %{nil}' \
  --define 'systemd_post() :' --define 'systemd_preun() :' --define 'systemd_postun_with_restart() :' \
  --define '__brp_strip %{nil}' --define '__brp_strip_comment_note %{nil}' --define '__brp_strip_static_archive %{nil}' \
  "$source/packaging/pmon.spec"
find "$top/RPMS" -name '*.rpm' | sort | while read -r package; do
  echo "$(basename "$package"): $(rpm -qpl "$package" 2>/dev/null | wc -l) files"
done
