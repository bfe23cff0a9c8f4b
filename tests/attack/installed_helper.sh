#!/bin/sh
# SPDX-License-Identifier: MIT
# An unprivileged user measures through the installed helper: pmon is installed in a temporary tree, which a mount
# namespace shows at its prefix, and starts pmon-access: without privileges, set-user-ID for a group, and with file
# capabilities. The registers are files of a tree that is compiled into a copy of the helper. Then pmon is killed, and
# the helper: the journal has the original contents, and `pmon restore` writes them back through a new helper. Usage:
# installed_helper.sh BUILD PREFIX PMON-ACCESS TREE-HELPER TREE FAKE-HOST
set -u
if [ "${7:-}" != inside ]; then
  for tool in setpriv unshare mknod tail; do
    command -v $tool >/dev/null || { echo "SKIPPED: the installed helper was not tried: $tool is not here"; exit 77; }
  done
  [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null ||
    { echo 'SKIPPED: the installed helper was not tried: that takes root and a mount namespace'; exit 77; }
  mkdir -p "$5"
  work=$(mktemp -d)
  chmod 755 "$work"
  unshare -m --propagation private "$0" "$1" "$2" "$3" "$4" "$5" "$6" inside "$work"; code=$?
  rm -rf "$work"
  exit $code
fi
build=$1 prefix=$2 program=$3 tree_helper=$4 tree=$5 fake_host=$6 work=$8
bad=0
fail() { echo "$*"; bad=1; }
skip() { echo "SKIPPED: the installed helper was not tried: $1"; exit 77; }
group=65533
user="setpriv --reuid 65534 --regid 65534 --groups $group --inh-caps=-all"

DESTDIR=$work/dest meson install -C "$build" --no-rebuild --quiet >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
[ "$(stat -c %a "$work/dest$program")" = 755 ] || fail "pmon-access is installed with mode $(stat -c %a "$work/dest$program")"
find "$work/dest" -perm /6000 | grep . && fail 'files are installed set-user-ID'
mkdir "$work/upper" "$work/merge"
mount -t overlay overlay -o "lowerdir=$work/dest$prefix:$prefix,upperdir=$work/upper,workdir=$work/merge" "$prefix" 2>/dev/null || skip 'no overlay can be mounted'
mount -t tmpfs none "$tree" && mount -t tmpfs none /sys && mkdir "$work/dev" && mount -t tmpfs none "$work/dev" || skip 'no tmpfs'
mkdir -p "$work/dev/cpu/0"
mknod -m 666 "$work/dev/null" c 1 3 && mknod -m 666 "$work/dev/zero" c 1 5 && mknod -m 444 "$work/dev/urandom" c 1 9 &&
  mknod -m 600 "$work/dev/cpu/0/msr" c 202 65535 && mount --bind "$work/dev" /dev || skip 'no device can be made'
mkdir "$work/runtime"
chown 65534 "$work/runtime"
chmod 700 "$work/runtime"
mkfifo -m 666 "$work/to" "$work/from"
export XDG_RUNTIME_DIR="$work/runtime"

# An E5-2600 with the four channels of its memory controller, in files that only root can open.
word() { printf "$(printf '\\%03o\\%03o\\%03o\\%03o' $(($3 & 255)) $(($3 >> 8 & 255)) $(($3 >> 16 & 255)) $(($3 >> 24)))" |
  dd of="$1" bs=4 oflag=seek_bytes seek=$(($2)) conv=notrunc 2>/dev/null; }
number() { dd if="$1" bs=4 iflag=skip_bytes skip=$(($2)) count=1 2>/dev/null | od -An -tu4 | tr -d ' '; }
config_of() { echo "$tree/sys/bus/pci/devices/0000:7f:$1/config"; }
pci_function() {
  mkdir -p "$(dirname "$(config_of "$1")")"
  truncate -s 256 "$(config_of "$1")"
  word "$(config_of "$1")" 0 $(($2 << 16 | 0x8086))
}
"$fake_host" "$tree" || exit 1
rm -r "$tree/dev"
pci_function 0b.0 0x3ce0
word "$(config_of 0b.0)" 0x54 0xfac688
channels='10.0 10.1 10.4 10.5'
for channel in $channels; do
  pci_function $channel $((0x3cb0 + ${channel#10.}))
  word "$(config_of $channel)" 0xd8 0x400c04
  word "$(config_of $channel)" 0xa0 1000
done
chmod -R go-rwx "$tree"
registers() { for channel in $channels; do od -An -v -tx4 "$(config_of $channel)"; done; }
registers >"$work/before"
same() { registers | cmp -s - "$work/before" || fail "$1: the registers are not as they were before"; }

pmon() { $user "$prefix/bin/pmon" "$@"; }
measure() { # the command is `sh -c "$1"`
  pmon stat -p snbep --backend direct --force --csv --per-unit -e imc/CAS_COUNT.RD/ -- sh -c "$1" >"$work/out" 2>"$work/err"
}
# Processes of this namespace that run the helper.
helpers() {
  for file in $(grep -lsx pmon-access /proc/[0-9]*/comm); do
    process=${file%/comm}
    [ "$(readlink "$process/ns/mnt")" = "$(readlink /proc/self/ns/mnt)" ] && echo "${process#/proc/}"
  done
}
# A zombie does not run: the first process of a container may never wait for it.
runs() { case "$(cut -d' ' -f3 "/proc/$1/stat" 2>/dev/null)" in '' | Z | X) return 1 ;; esac; }
gone() {
  for process in "$@"; do
    tries=6000
    while runs "$process" && [ $((tries -= 1)) -gt 0 ]; do timeout 0.1 tail -f /dev/null; done
    [ $tries -gt 0 ] || fail "process $process did not end"
  done
}

# As installed, without privileges: the kernel's answer is the caller's own.
measure true; code=$?
[ $code = 3 ] && grep -q 'Permission denied' "$work/err" || fail "without privileges: $code, $(cat "$work/err")"
# The installed program as set-user-ID: it is started, and finds no registers on this /dev and /sys.
chown 0:$group "$program" && chmod 4750 "$program" || skip 'the installed file has a fixed mode'
measure true; code=$?
! grep -q 'Permission denied' "$work/err" && [ $code = 3 ] || fail "installed, set-user-ID: $code, $(cat "$work/err")"

# through MODE: measures through the copy; the counts are those of the registers.
through() {
  gone $(helpers) # of the previous measurement: helpers exit after their caller
  measure "echo go >$work/to; read x <$work/from" & pid=$!
  timeout 600 cat "$work/to" >/dev/null || fail "$1: the command was not started: $(cat "$work/err")"
  [ "$(number "$(config_of 10.1)" 0xd8)" = $((0x400304)) ] || fail "$1: event select $(number "$(config_of 10.1)" 0xd8)"
  [ "$(helpers | wc -l)" = 1 ] || fail "$1: helpers $(helpers)"
  for process in $(helpers); do
    grep -q 'CapEff:.*0000000000000000' "/proc/$process/status" || fail "$1: the helper has capabilities"
    grep -q 'Seccomp:.*2' "/proc/$process/status" || fail "$1: the helper has no filter"
    awk '/^Uid:/ { exit !($2 == 65534 && $3 == 65534 && $4 == 65534) }' "/proc/$process/status" || fail "$1: the helper has another user"
  done
  for signal in INT TERM HUP QUIT; do kill -s $signal $(helpers); done # they come to pmon's whole process group
  n=0 start=$(number "$(config_of 10.0)" 0xa0)
  for channel in $channels; do n=$((n + 1)); word "$(config_of $channel)" 0xa0 $((start + 12345 * n)); done
  echo go >"$work/from"
  wait $pid || fail "$1: $(cat "$work/err")"
  [ "$(awk -F , '$4 ~ /CAS_COUNT/ { print $8 }' "$work/out" | paste -sd ' ')" = '12345 24690 37035 49380' ] || fail "$1: $(cat "$work/out")"
  same "$1"
  gone $(helpers)
}
rm -f "$program" && cp "$tree_helper" "$program" && chown 0:$group "$program" && chmod 4750 "$program"
through 'set-user-ID'
# A user outside the group cannot run it.
setpriv --reuid 65534 --regid 65534 --clear-groups "$prefix/bin/pmon" stat -p snbep --backend direct --force \
  -e imc/CAS_COUNT.RD/ -- true >"$work/out" 2>"$work/err"; code=$?
[ $code = 3 ] && grep -q 'Permission denied' "$work/err" || fail "outside the group: $code, $(cat "$work/err")"

# killed WHOM: kills WHOM while the registers are programmed. The journal has their original contents.
killed() {
  sh "$work/killed" & shell=$!
  timeout 600 cat "$work/to" >/dev/null || fail "killed $1: the command was not started: $(cat "$work/err")"
  pid=$(cat "$work/pid") helper=$(helpers)
  [ "$1" = pmon ] && kill -KILL "$pid" || kill -KILL "$helper"
  gone $helper
  echo go >"$work/from"
  wait $shell; code=$?
  gone "$pid"
  registers | cmp -s - "$work/before" && fail "killed $1: nothing had been programmed"
  [ "$(ls "$work/runtime" | wc -l)" = 1 ] || fail "killed $1: journals $(ls "$work/runtime"), $(cat "$work/err")"
}
# pmon restores only a processor of the journal's platform: an emulator shows it this one.
restore() {
  if command -v qemu-x86_64 >/dev/null; then
    $user qemu-x86_64 -cpu SandyBridge,model=45,stepping=7 "$prefix/bin/pmon" restore --backend direct
  else
    echo 'SKIPPED: no qemu-x86_64: root restores the registers without the helper' >&3
    cp "$work"/runtime/*.journal "$work/journal" && chmod 600 "$work/journal" &&
      "$prefix/bin/pmon" restore --root "$tree" --backend direct "$work/journal" && rm "$work"/runtime/*.journal
  fi
}
cat >"$work/killed" <<END
$user sh -c 'echo \$\$ >&3; exec "$prefix/bin/pmon" stat -p snbep --backend direct --force -e imc/CAS_COUNT.RD/ -- \
  sh -c "echo go >$work/to; read x <$work/from" 3>&-' 3>"$work/pid" >"$work/out" 2>"$work/err"
END
for whom in pmon helper; do
  killed $whom
  if [ $whom = helper ]; then
    [ $code != 0 ] && grep -q 'pmon-access, which reaches the registers for pmon, has ended' "$work/err" ||
      fail "killed helper: $code, $(cat "$work/err")"
    grep -q 'pmon restore' "$work/err" || fail "killed helper: no remedy: $(cat "$work/err")"
  fi
  restore 3>&1 >"$work/out" 2>"$work/err" || fail "restore after killed $whom: $(cat "$work/err")"
  same "restore after killed $whom"
  [ "$(ls "$work/runtime" | wc -l)" = 0 ] || fail "restore after killed $whom: $(ls "$work/runtime") is left"
  gone $(helpers)
done

if command -v setcap >/dev/null && chmod 755 "$program" && setcap cap_dac_override+ep "$program" 2>/dev/null; then
  through 'file capabilities'
else
  echo 'SKIPPED: no file capabilities here'
fi
exit $bad
