# SPDX-License-Identifier: MIT
# For the tests that boot a guest, sourced by them: what is skipped, how counts are compared. The caller sets `what`, which
# begins the message of a skip.
skip() { echo "SKIPPED: $what: $1"; exit 77; }
need() {     # programs of this host
  for tool in "$@"; do
    command -v "$tool" >/dev/null || skip "$tool is not here"
  done
}
booted() {   # exit code of pmon vm, and files that say more when it is not 0
  result=$1
  shift
  if [ "$result" -eq 3 ]; then cat "$@"; skip "this QEMU cannot, or there is no kernel"; fi
  [ "$result" -eq 0 ] || { cat "$@"; echo "the guest's exit code is $result"; exit 1; }
}
# Lines `NAME WANTED COUNT...` on standard input: every count has to be what is wanted. Sets failed, and moved, the number
# of lines that want more than nothing.
compare() {
  failed=0 moved=0
  while read -r name want counts; do
    echo "$name $want, counted $counts"
    [ -n "$counts" ] || failed=1
    for got in $counts; do [ "$got" = "$want" ] || failed=1; done
    [ "$want" = 0 ] || moved=$((moved + 1))
  done
}
# Joins a list `EVENT PERF'S-EVENT` with socket 0's counts of `pmon stat --csv --per-socket` and of `perf stat -x ' '`.
join_counts() {
  while read -r event perf; do
    echo "$event $(awk -F , -v e="$event" '$4 == e && $5 == 0 { print $8 }' "$1")" \
      "$(awk -v e="$perf" '$2 == e { print $1 }' "$2")"
  done
}
