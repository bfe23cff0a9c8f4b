#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the container of packaging/Containerfile with Debian's buildah, without a registry: its base is a clean Debian
# 12 of mmdebstrap under the name of the registry's image. The exporter then runs in it, as the file's user, on the
# emulated machine, and is scraped. Needs root, buildah, curl, the packages of `make deb`, and Debian's archive.
# PMON_CHROOT names an existing tarball of a clean system. Usage: container.sh BUILD-FOLDER
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/packages/clean.sh
source=$PWD build=$(realpath "$1")
[ "$(id -u)" -eq 0 ] || { echo "SKIPPED: needs root" >&2; exit 77; }
for tool in buildah curl python3; do
  command -v $tool >/dev/null || { echo "SKIPPED: no $tool" >&2; exit 77; }
done
ls "$build"/deb/pmon-exporter_*.deb >/dev/null 2>&1 || { echo "SKIPPED: no packages in $build/deb: make deb" >&2; exit 77; }
work=$(mktemp -d) || exit 1
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; wait 2>/dev/null; rm -rf --one-file-system "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
# Keeps the images out of the host's own storage.
images() { command=$1; shift; buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$command" "$@"; }

clean_tarball "$work"
name=$(awk '$1 == "FROM" { print $2 }' packaging/Containerfile)
scratch=$(images from scratch) && images add "$scratch" "$PMON_CHROOT" / >/dev/null &&
  images commit --quiet --rm "$scratch" "$name" >"$work/log" 2>&1 || fail "base: $(cat "$work/log")"
mkdir -p "$work/context/build"
cp -r "$build/deb" "$work/context/build/deb"
images build --isolation chroot --pull-never --format docker -f "$source/packaging/Containerfile" -t pmon-exporter \
  "$work/context" >"$work/log" 2>&1 || fail "build: $(tail -n 20 "$work/log")"
size() { images images --format '{{.Size}}' "$1"; }
echo "ok: built, $(size localhost/pmon-exporter), of which the base is $(size "$name")"

container=$(images from --pull-never pmon-exporter) || fail "no container"
config=$(images inspect --format '{{with .OCIv1.Config}}{{.User}} {{.Entrypoint}} {{.Cmd}} {{.ExposedPorts}}{{end}}' "$container")
case $config in
'65534:65534 [/usr/bin/pmon exporter] [--backend perf --listen 0.0.0.0:9738] map[9738'*) echo "ok: configuration" ;;
*) fail "configuration: $config" ;;
esac
{
  echo 'thread 0 on core 0: stream past-caches 1M stride 64'
  for _ in $(seq 60); do echo 'thread 0 on core 0: sleep 1s'; done
} >"$work/s.scn"
images copy --quiet "$container" "$work/s.scn" /s.scn >/dev/null || fail "copy"
images run --isolation chroot "$container" -- /usr/bin/pmon --version </dev/null >"$work/out" 2>&1 || fail "version: $(cat "$work/out")"
images run --isolation chroot "$container" -- /usr/bin/pmon -p emr stat --scenario /s.scn -e imc/CAS_COUNT.WR/ --csv \
  </dev/null >"$work/out" 2>&1 && grep -q 'imc/CAS_COUNT.WR/' "$work/out" || fail "stat: $(cat "$work/out")"
echo "ok: version and stat"
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
images run --isolation chroot "$container" -- /usr/bin/pmon -p emr exporter --listen "127.0.0.1:$port" --scenario /s.scn \
  -I 100ms </dev/null >"$work/out" 2>&1 &
pid=$!
tries=0
until curl -sf --max-time 5 "http://127.0.0.1:$port/metrics" >"$work/metrics"; do
  tries=$((tries + 1))
  [ $tries -lt 600 ] && kill -0 "$pid" 2>/dev/null || fail "not served: $(cat "$work/out")"
  timeout 0.1 tail -f /dev/null
done
grep -q '^pmon_info{.*platform="emr"' "$work/metrics" || fail "no pmon_info"
awk '/^pmon_memory_written_bytes_total/ { n += $2 } END { exit n < 1048576 }' "$work/metrics" ||
  fail "written: $(grep written_bytes_total "$work/metrics")"
processes=$(pgrep -f "^/usr/bin/pmon -p emr exporter --listen 127.0.0.1:$port")
[ -n "$processes" ] || fail "no process"
for process in $processes; do
  [ "$(awk '/^Uid/ { print $3 }' "/proc/$process/status")" = 65534 ] || fail "process $process is not user 65534"
done
echo "ok: served from the container, as user 65534"
