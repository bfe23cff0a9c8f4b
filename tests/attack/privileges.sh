#!/bin/sh
# SPDX-License-Identifier: MIT
# Which users can make pmon write which registers: borrowed privileges, platform files, forged journals, recordings and
# captures that name files. Usage: privileges.sh PMON FAKE-HOST TAMPER SCENARIO
set -u
pmon=$1 fake_host=$2 tamper=$3 scenario=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
export XDG_RUNTIME_DIR="$work"
bad=0
root=$work/host
"$fake_host" "$root" || exit 1
truncate -s 4G "$root/dev/cpu/0/msr"

# same NAME: no register of the fake host was changed: its file has no written block.
same() { [ "$(stat -c %b "$root/dev/cpu/0/msr")" = 0 ] || { echo "$1: a register was written"; bad=1; }; }
# refused CODE TEXT COMMAND...: the command exits by itself with this code and text.
refused() {
  want=$1 text=$2; shift 2
  timeout 600 "$@" >"$work/out" 2>"$work/err" </dev/null; code=$?
  [ "$code" = "$want" ] || { echo "$*: exit code $code, not $want: $(head -c 300 "$work/err")"; bad=1; }
  grep -q -- "$text" "$work/err" || { echo "$*: \"$(head -c 300 "$work/err")\" lacks \"$text\""; bad=1; }
}

# With borrowed privileges pmon does nothing, whatever the command.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  user='setpriv --reuid 65534 --regid 65534 --clear-groups'
  cp "$pmon" "$work/pmon-copy"
  echo secret >"$work/secret"; chmod 600 "$work/secret"
  mkdir -p "$work/trap/dev/cpu/0"
  ln -s "$work/secret" "$work/trap/dev/cpu/0/msr"
  for mode in 4755 2755; do
    chown 0:0 "$work/pmon-copy"; chmod $mode "$work/pmon-copy"
    if $user "$work/pmon-copy" --version >/dev/null 2>&1; then
      echo "SKIPPED: mode $mode gives no privileges here (nosuid)" >&2
      continue
    fi
    for words in --version 'doctor' "capture --root $work/trap" "restore $work/secret" "list -p $work/secret/x"; do
      refused 3 'privileges that its caller does not have' $user "$work/pmon-copy" $words
      [ -s "$work/out" ] && { echo "$mode $words: printed something"; bad=1; }
    done
  done
  chmod 755 "$work/pmon-copy"
  if command -v setcap >/dev/null && setcap cap_sys_rawio+p "$work/pmon-copy" 2>/dev/null; then
    refused 3 'file capabilities' $user "$work/pmon-copy" doctor
  else
    echo "SKIPPED: no file capabilities here" >&2
  fi
else
  echo "SKIPPED: only root with setpriv can make a set-user-ID program" >&2
fi

# A caller's platform file that describes another register, such as the kernel's system call entry.
cat >"$work/evil.platform" <<END
platform evil
title a register that is none
cite X 1
cpu GenuineIntel 6 45
clock uclk 1000000000 a clock
file evil.reg
file evil.unit
file evil.evt
END
cat >"$work/evil.reg" <<END
cite X 1
register CTL width 64
  63:8 rest rw 0 all
  7:0 ev_sel rw 0 alias=event which
register CTR width 64
  63:0 count rw 0 volatile the count
END
cat >"$work/evil.unit" <<END
cite X 1
unit evil
  title evil
  instances 1
  counters 1 width 64
  clock uclk
  events evil
  at msr 0xc0000082
  register ctl EVIL_CTL CTL 0x0 count 1
  register ctr EVIL_CTR CTR 0x20 count 1
END
cat >"$work/evil.evt" <<END
cite X 1
events evil
event TICKS 0x1
  brief ticks
END
timeout 600 "$pmon" -p "$work/evil.platform" stat --root "$root" --backend msr --force -e evil/TICKS/ -- true >"$work/out" 2>"$work/err"
code=$?
[ $code != 0 ] && grep -q 'was refused' "$work/err" || { echo "platform file: $code, $(cat "$work/err")"; bad=1; }
same 'platform file'
rm -f "$work"/pmon-*.journal

# Journals: forged ones that name files, other registers, or another processor.
sum_of() { { cat "$1"; printf 'end %d %s\n' "$2" "$(sha256sum <"$1" | cut -d' ' -f1)"; } >"$1.journal"; chmod 600 "$1.journal"; }
boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null || echo -)
head_of() { printf 'pmon journal 2\nprocess 1\nboot %s\nplatform %s\n' "$boot" "$1"; }
restore() { refused "$1" "$2" "$pmon" restore --root "$root" --backend direct "$3"; }
{ head_of snbep; echo '0 msr 0x0 0xc0000082 64 0x1'; } >"$work/offset"; sum_of "$work/offset" 1
restore 2 'has no monitoring register at this address' "$work/offset.journal"
{ head_of "$work/evil.platform"; echo '0 msr 0x0 0xc0000082 64 0x1'; } >"$work/named"; sum_of "$work/named" 1
restore 2 'no built-in platform has this name' "$work/named.journal"
{ head_of emr; echo '0 msr 0x0 0x2002 64 0x1'; } >"$work/emr"; sum_of "$work/emr" 1
restore 3 'this processor is of platform snbep' "$work/emr.journal"
content=$(printf x | sha256sum | cut -d' ' -f1)
{ head_of "evil $content"; echo '0 msr 0x0 0xc0000082 64 0x1'; } >"$work/content"; sum_of "$work/content" 1
restore 2 'user-supplied' "$work/content.journal"
refused 2 'user-supplied' "$pmon" -p "$work/evil.platform" restore --root "$root" --backend direct "$work/content.journal"
{ head_of snbep; echo '0 msr 0x0 0xd10 64 0x1'; } >"$work/good"; sum_of "$work/good" 1
ln -s "$work/good.journal" "$work/link.journal"
restore 2 'symbolic link' "$work/link.journal"
chmod 666 "$work/good.journal"
restore 3 'other users can write it' "$work/good.journal"
mkfifo "$work/fifo.journal"
restore 3 'not a regular file' "$work/fifo.journal"
same 'forged journals'
sed 's/45/1/; s/GenuineIntel/AuthenticAMD/' "$root/proc/cpuinfo" >"$work/amd"
cp "$work/amd" "$root/proc/cpuinfo"
chmod 600 "$work/good.journal"
restore 3 'uncore' "$work/good.journal"
[ -e "$work/good.journal" ] || { echo 'another processor: the journal was removed'; bad=1; }
same 'another processor'
"$fake_host" "$root"; truncate -s 4G "$root/dev/cpu/0/msr"

# Recordings and captures that name a file: pmon neither opens nor quotes it.
"$pmon" stat -p emr --scenario "$scenario" --record "$work/recording" >/dev/null 2>&1 || exit 1
mkfifo "$work/fifo.platform"
for name in /etc/passwd "$work/fifo.platform" "$work/evil.platform" 'emr,/etc/passwd'; do
  cp "$work/recording" "$work/named.rec"
  "$tamper" "$work/named.rec" "UPDATE meta SET value = '$name' WHERE key = 'platform'" || bad=1
  refused 2 'user-supplied' "$pmon" report "$work/named.rec"
  grep -q root: "$work/err" && { echo "report quotes $name"; bad=1; }
  "$pmon" capture -p emr --machine -o "$work/capture" >/dev/null 2>&1 || exit 1
  sed "s|^platform emr|platform $name|" "$work/capture" >"$work/named.capture"
  refused 2 'user-supplied\|expected' "$pmon" doctor --replay "$work/named.capture"
  grep -q root: "$work/err" && { echo "doctor quotes $name"; bad=1; }
done
cp "$work/recording" "$work/other.rec"
"$tamper" "$work/other.rec" "INSERT INTO meta VALUES('platform_content', '$content')" || bad=1
"$tamper" "$work/other.rec" "UPDATE meta SET value = 'evil' WHERE key = 'platform'" || bad=1
refused 2 'with other files' "$pmon" report -p "$work/evil.platform" "$work/other.rec"
exit $bad
