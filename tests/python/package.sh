#!/bin/sh
# SPDX-License-Identifier: MIT
# The Python package as a user gets it: the wheel is built without a network, only its files are used, and its numbers
# equal those of the command. Usage: package.sh SOURCE BUILD PMON
set -u
source=$1 build=$2 pmon=$3
command -v python3 >/dev/null || { echo "SKIPPED: no python3" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1

i=0
while [ $i -lt 4000 ]; do
  printf 'I  00400000,4\n L %08x,8\n' $((268435456 + 64 * i))
  i=$((i + 1))
done >"$work/trace"
"$pmon" -p emr stat --log "$work/accesses" --json -e imc/CAS_COUNT.RD/ -m MEM_READ_BANDWIDTH --trace "$work/trace" \
  -o "$work/json" || exit 1
"$pmon" -p emr stat -I 0.005 -m MEM_READ_BANDWIDTH --trace "$work/trace" --record "$work/counts" >/dev/null || exit 1

cp -r "$source/python" "$work/python" || exit 1
cp -r "$source/include" "$work/include" || exit 1
(cd "$work/python/backend" && python3 -c 'import pmon_build; pmon_build.build_wheel("'"$work"'")
pmon_build.build_sdist("'"$work"'")') || exit 1
cp "$work"/pmon-*.whl "$work/first" || exit 1
(cd "$work/python/backend" && python3 -c 'import pmon_build; pmon_build.build_wheel("'"$work"'")') || exit 1
cmp "$work/first" "$work"/pmon-*.whl || { echo "two builds of the wheel differ"; exit 1; }
if python3 -m pip --version >/dev/null 2>&1; then
  python3 -m pip install --quiet --no-index --no-deps --no-build-isolation --root-user-action=ignore --target "$work/site" "$work"/pmon-*.whl ||
    exit 1
else
  echo "SKIPPED: no pip; the wheel is unpacked instead"
  python3 -m zipfile -e "$work"/pmon-*.whl "$work/site" || exit 1
fi
cmp "$build/python/_abi.py" "$work/site/pmon/_abi.py" || { echo "meson and the wheel make different declarations"; exit 1; }
(cd "$source/python" && python3 -c 'import pmon' 2>&1) | grep -q 'ImportError: .*install it' ||
  { echo "importing the sources does not say what is missing"; exit 1; }
PMON_LIBRARY=$build/libpmon.so.0 PYTHONPATH=$work/site WORK=$work BUILD=$build python3 "$source/tests/python/test_package.py"
