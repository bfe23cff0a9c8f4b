#!/bin/sh
# SPDX-License-Identifier: MIT
# A guest that does not exit in time: pmon prints its last position. No guest is booted: scripts take QEMU's place and
# write to the serial line what pmon's init would write. Usage: timeout.sh PMON
pmon=$1 failed=0
skip() { echo "SKIPPED: no time limit was tried: $1"; exit 77; }
for tool in busybox xz bash; do command -v $tool >/dev/null || skip "$tool is not here"; done
[ -n "$(ls "${XDG_CACHE_HOME:-$HOME/.cache}"/pmon/vm/kernel/boot 2>/dev/null)" ] ||
  skip "no kernel has been downloaded yet; vm-guest does that"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
guest() {    # name, what it does with its serial line
  {
    cat <<'END'
#!/bin/bash
[ "$1" = -device ] && { echo '"x-pci-proxy-dev" "x-pci-proxy-express-dev" "pmon-msr" "pmon-window"'; exit 0; }
for word in "$@"; do case $word in socket,id=serial0,fd=*) line=${word##*=} ;; esac; done
END
    echo "$2"
    echo 'read -r forever <&$line'
  } >"$work/$1"
  chmod +x "$work/$1"
}
try() {      # seconds, name, lines that pmon's report has, one an argument; prints what is missing
  seconds=$1 name=$2
  shift 2
  rm -f "$work/json" "$work/junit"
  "$pmon" vm --timeout "$seconds" --qemu "$work/$name" --json "$work/json" --junit "$work/junit" -- true >"$work/out" 2>&1
  [ $? -eq 124 ] || echo "$name: another exit code"
  for line in "$@" "pmon vm: the guest did not exit within the time limit of $seconds s; raise --timeout"; do
    grep -qxF "$line" "$work/out" || { echo "$name: no line \"$line\" in"; cat "$work/out"; }
  done
  grep -q '"verdict":"time-out","exit_code":124,"error":"the guest did not exit' "$work/json" ||
    { echo "$name: no verdict in JSON:"; cat "$work/json"; }
  grep -q 'tests="1" failures="0" errors="1"' "$work/junit" && grep -q '<error message="time-out">' "$work/junit" ||
    { echo "$name: no error in JUnit:"; cat "$work/junit"; }
}
# On a busy host, the script may not have finished within a second.
expect() {   # name, lines
  for limit in 1 10 100; do
    missing=$(try $limit "$@")
    [ -n "$missing" ] || return 0
  done
  echo "$missing"
  failed=1
}
guest boots 'printf "a first line\nhalf a line" >&$line'
guest loads 'printf "@pmon-vm ready\n" >&$line
read -r load <&$line
echo "[    1.5] a driver waits" >&$line'
guest runs 'printf "@pmon-vm ready\n" >&$line
read -r load <&$line
printf "@pmon-vm loaded 0\n" >&$line
read -r go <&$line
echo "[    1.5] something happened" >&$line
read -r question <&$line
[ "$question" = processes ] && printf "@pmon-vm process   77 S perf stat\n@pmon-vm listed\n" >&$line'
expect boots "the guest at the time limit: it was booting; 0 reads and 0 writes of registers; the machine is at 0 ns" \
  "its last register accesses: none" "the end of its console:" "a first line" "half a line"
expect loads "the guest at the time limit: the driver was being loaded; 0 reads and 0 writes of registers; the machine is at 0 ns" \
  "[    1.5] a driver waits"
expect runs "the guest at the time limit: the command was running; 0 reads and 0 writes of registers; the machine is at 0 ns" \
  "[    1.5] something happened" "its processes:" "    77 S perf stat"
exit $failed
