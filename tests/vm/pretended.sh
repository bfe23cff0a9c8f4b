#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs of `pmon vm` without a guest: fake_qemu.py imitates a guest and QEMU. Tested are the consequences of the run's
# end: exit codes, verdicts, files that cannot be written, invalid messages, and states that cannot be kept.
# Usage: pretended.sh PMON
pmon=$(realpath "$1") failed=0
fake=$(realpath "$(dirname "$0")/fake_qemu.py") options=$(realpath "$(dirname "$0")/../../examples/vm/guest.config")
skip() { echo "SKIPPED: no run was pretended: $1"; exit 77; }
for tool in busybox python3 cc; do command -v $tool >/dev/null || skip "$tool is not here"; done
under= # a program and its options, before pmon
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export XDG_CACHE_HOME="$work" HAS PLAN
HAS='x-pci-proxy-dev x-pci-proxy-express-dev pmon-msr pmon-window'
# Each run first asks QEMU for its devices: a shell answers in a tenth of the interpreter's time. -SE: without the
# packages and settings of the host, whose search takes half of a start.
qemu=$work/qemu
cat >qemu <<QEMU || exit 1
#!/bin/sh
[ "\$1" != -device ] || exec printf 'name "%s"\n' \$HAS
exec python3 -SE '$fake' "\$@"
QEMU
chmod +x qemu
"$qemu" --kernel kernel && "$qemu" --kernel torn 1f8b080000000000 && "$qemu" --kernel empty 7f454c4600000000 || exit 1
fail() { echo "pmon vm $*: exit code $got: $output"; failed=1; }
expect() {   # exit code, part of the message, arguments...
  code=$1 part=$2
  shift 2
  output=$(timeout 600 $under "$pmon" vm --kernel kernel --qemu "$qemu" "$@" 2>&1)
  got=$?
  [ $got -eq "$code" ] || fail "$@"
  case $output in *"$part"*) ;; *) fail "$@, without \"$part\"" ;; esac
}
has() { grep -qF "$2" "$1" || { echo "$1 has no $2: $(cat "$1")"; failed=1; }; }
begin='mark ready
hear
mark loaded 0
hear'
end='mark exit 0
hear
end 0'

# ---- results of the command and its driver ----
PLAN="say booting
$begin
out hello
wrmsr 0xd04 0x100ff
rdmsr 0x10
mark exit 7
hear
end 0"
expect 7 hello --artifacts kept -- true
for file in console.log output.log start.capture end.capture versions accesses.log findings; do
  [ -s kept/$file ] || { echo "kept/$file is empty"; failed=1; }
done
has kept/versions 'kernel: kernel'
has kept/result.json '"verdict":"command","exit_code":7'
has kept/junit.xml '<failure message="command">exit code 7</failure>'
PLAN="$begin
wrmsr 0xd04 0x100ff
$end"
printf 'sw.reserved Cn_MSR_PMON_BOX_CTL - as it is\nsw.reserved HA_* - in no run\n' >known
expect 0 'known:2: no such violation in this run: sw.reserved HA_*' --baseline known --junit junit --json json -- true
has json '"known":true,"reason":"as it is"'
has junit '<skipped message="as it is">'
expect 122 '1 violation, 0 advisories; 0 violations are in /dev/null, 1 is new' --baseline /dev/null --json json -- true
has json '"verdict":"violation","exit_code":122'

# The end of QEMU, and of the programs that are run to examine it, is detected where the caller ignores SIGCHLD.
PLAN="$begin
out hello
mark exit 7
hear
end 0"
under='env --ignore-signal=CHLD'
expect 7 hello -- true
under=

# A log lists the units, whether the run is checked or not.
PLAN="$begin
$end"
expect 0 '' --log plain -- true
expect 0 '' --log checked --check -- true
has plain '# units 0'
cmp plain checked || failed=1

# ---- files that cannot be written ----
expect 125 '/dev/full: No space left' --json /dev/full -- true
expect 125 '/dev/full: No space left' --junit /dev/full -- true
expect 125 '/dev/full: No space left' --log /dev/full -- true
expect 125 'none/log: No such file' --log none/log -- true
mkdir folders folders/versions full
ln -s /dev/full full/end.capture
ln -s /dev/full full/output.log
ln -s /dev/full full/result.json
expect 125 '--artifacts folders: versions: Is a directory' --artifacts folders -- true
PLAN="$begin
out hello
$end"
expect 125 '--artifacts full: end.capture: No space left' --artifacts full -- true
rm full/end.capture
expect 125 "the guest's outputs could not be written" --artifacts full -- true
has full/findings '0 violations'

expect_full() {
  output=$(timeout 600 "$pmon" vm --kernel kernel --qemu "$qemu" -- true 2>&1 >/dev/full)
  got=$?
  [ $got -eq 125 ] || fail "-- true >/dev/full"
  case $output in *'pmon vm: standard output: No space left on device'*) ;; *) fail "-- true >/dev/full" ;; esac
}
expect_full

# ---- a driver that the guest's kernel refuses, and configurations ----
echo 'const char m[] __attribute__((section(".modinfo"))) = "name=intel_uncore";' >m.c && cc -c -o m.ko m.c || failed=1
refused="mark ready
hear
say insmod: can't insert '/usr/pmon/modules/intel-uncore.ko': unknown symbol in module, or unknown parameter
mark exit 0
hear
end 0"
PLAN="$begin
say insmod: can't insert '/usr/pmon/modules/intel-uncore.ko': by the command, later
$end"
expect 0 'by the command, later' --console --module m.ko -- true
# Files that can be read only once, such as pipes: for the check, the guest, and the names of its functions.
mkfifo pipe.ko
cat m.ko >pipe.ko &
expect 0 '' --check --module pipe.ko -- true
wait
PLAN=$refused
expect 123 "--module m.ko: the guest's kernel rejects it: unknown symbol in module, or unknown parameter; --console" \
  --module m.ko -- true
expect 0 '' -- true
PLAN="$begin
$end"
# A build tree as `make` leaves it; a package has the configuration beside its kernel.
mkdir -p tree/arch/x86/boot && cp kernel tree/arch/x86/boot/bzImage
sed -n 's/^CONFIG/&/p' "$options" >all
sed '/CONFIG_SERIAL_8250_CONSOLE/d;s/^\(CONFIG_DEVTMPFS=\).*/\1m/' all >tree/.config
expect 125 'lacks CONFIG_DEVTMPFS=y, CONFIG_SERIAL_8250_CONSOLE=y; scripts/kconfig/merge_config.sh .config guest.config' \
  --kernel tree/arch/x86/boot/bzImage -- true
expect 0 '' --initrd /dev/null --kernel tree/arch/x86/boot/bzImage
sed 's/=m$/=y/' all >tree/.config
expect 0 '' --kernel tree/arch/x86/boot/bzImage -- true
expect 2 '--module m.ko: the kernel has this driver built in, and cannot load another' --module m.ko \
  --kernel tree/arch/x86/boot/bzImage -- true
(cd tree && echo '# nothing' >.config && expect 125 "arch/x86/boot/bzImage: the kernel's configuration lacks CONFIG_64BIT=y" \
  --kernel arch/x86/boot/bzImage -- true; exit $failed) || failed=1

# ---- a guest and a QEMU that fail ----
# QEMU ends while pmon answers it: that the answer is not received is no fault, even before QEMU is a zombie.
PLAN="$begin
leave 0 @pmon-vm exit 0"
expect 0 '' -- true
PLAN="$begin
leave 3 @pmon-vm exit 0"
expect 125 'QEMU exited with code 3' -- true
PLAN="$begin
end 0"
expect 123 'the guest ended before its command did' --junit junit -- true
has junit '<error message="panic">the guest ended before its command did; --console prints'
PLAN="$begin
say [    1.5] Kernel panic - not syncing: Fatal exception in interrupt
say [    1.6] Kernel Offset: disabled
end 0"
expect 123 'its command did: Kernel panic - not syncing: Fatal exception in interrupt; --console' -- true
# The message that ends the process list ends the run at its time limit, whenever it comes.
PLAN="$begin
wrmsr 0xd04 0x10100
say the last line
mark process 12 s of the guest's clock
mark listed
wait"
expect 124 '0 write 0 msr 0xd04 64 0x10100' --timeout 90 -- true
for part in "12 s of the guest's clock" 'the last line' 'the command was running; 0 reads and 1 write'; do
  case $output in *"$part"*) ;; *) fail "--timeout 90, without \"$part\"" ;; esac
done
for name in msr 8.2; do
  PLAN="$begin
broken $name"
  expect 125 'QEMU sent an unknown message' -- true
done
PLAN="$begin
memory 0xfed00000
$end"
expect 0 '0 violations' -p emr --check -- true
PLAN="$begin
$end"
expect 125 'before its accesses could be followed' --traffic guest -- true

# ---- states ----
HAS="$HAS pmon-shared"
expect 125 "built by this version's" --snapshot state -- true
HAS="$HAS pmon-pages"
saves='command
command
command
mark ready
command
command'
PLAN="$saves
qmp {\"error\":\"no room\"}
wait"
expect 125 'QEMU cannot save the guest' --snapshot state -- true
[ ! -e state ] || { echo "a state that was not saved is kept"; failed=1; }
PLAN="$saves
qmp {\"status\":\"completed\"}
command
end 3"
expect 125 'QEMU exited with code 3' --snapshot state -- true
[ ! -e state ] || { echo "a state of a failed QEMU is kept"; failed=1; }
# The lock of the artifacts is not that of the states in the same folder, for which it would wait.
expect 125 'QEMU exited with code 3' --artifacts both --snapshot both/state -- true
expect 125 'QEMU exited with code 3' --artifacts both --snapshot both -- true
timeout 600 "$pmon" bench-driver --kernel kernel --qemu "$qemu" --check units --artifacts cells --snapshot cells >report 2>&1
grep -q 'QEMU exited with code 3' cells/cell-1/report || { cat report cells/cell-1/report; failed=1; }
(ulimit -f 1000000 && PLAN=$saves && expect 125 'snapshot state: File too large' --snapshot state -- true; exit $failed) ||
  failed=1

# ---- states after the search for PCI functions, and of a loaded driver ----
PLAN="$saves
qmp {\"status\":\"completed\"}
command
end 0"
resumes='command
command
command
command
qmp {"event":"RESUME"}'
finds="$resumes
hear find
rdmsr 0xd04
mark found"
loads="$resumes
hear load
wrmsr 0xd04 0x10100
rdmsr 0xd04
mark loaded 0"
keeps='command
command
qmp {"status":"completed"}
command
qmp {"event":"RESUME"}'
goes="hear go
$end"
fresh="$finds
$keeps
${loads#"$resumes
"}
$keeps
$goes"
loaded="$resumes
$goes"
export RESUMED
expect_state() { # the functions' or the driver's, whether it is there, and why
  [ -f "driven.$1" ] && is=there || is=none
  [ $is = "$2" ] || { echo "the state driven.$1 is $is: $3"; failed=1; }
}
# A driver's load that lets time pass has no state: its accesses have other answers in another scenario.
RESUMED="$resumes
hear find
config 1f.0 0x40 1000
mark found
hear load
mark loaded 0
$goes"
expect 0 '' --snapshot driven -- true
expect_state functions none 'time has passed'
RESUMED="$finds
hear load
rdmsr 0xd04
mark loaded 0
$goes"
expect 0 '' --snapshot driven --access-ns 5 -- true
expect_state functions none 'time passes'
RESUMED="$finds
$keeps
hear load
config 1f.0 0x40 1000
mark loaded 0
$goes"
expect 0 '' --snapshot driven -- true
expect_state functions there 'they were found'
expect_state driver none 'time has passed'
RESUMED="$loads
$keeps
$goes"
expect 0 '' --snapshot driven -- true
expect_state driver there 'it was loaded'
RESUMED=$loaded
expect 0 '' --snapshot driven --log log -- true
has log '0 write 0 msr 0xd04 64 0x10100'
# The state after the search for functions serves every driver, also where time advances with each access, as it does
# without the state; it is not used where the kernel could get other answers.
RESUMED="${loads%
mark*}
mark loaded 1
$goes"
expect 0 '' --snapshot driven --log log --access-ns 5 -- true
[ "$(grep -c ' 0 msr 0xd04 ' log)" -eq 3 ] || { cat log; failed=1; }
has log '0 read 0 msr 0xd04 64 0x0'
has log '5 write 0 msr 0xd04 64 0x10100'
has log '10 read 0 msr 0xd04 64 0x10100'
RESUMED="$finds
hear load
mark loaded 1
$goes"
expect 0 '' --snapshot driven --fault 'gone cbo1 at 1us' -- true
expect 0 '' --snapshot driven --gdb 1 -- true
# With one changed bit in the record, the driver is loaded again.
python3 - <<'CHANGE' || failed=1
import struct
with open('driven.driver', 'r+b') as file:
    content = file.read()
    at = content.index(struct.pack('<QQ', 0xd04, 0x10100))
    file.seek(at + 8)
    file.write(b'\1')
CHANGE
RESUMED="$loads
$keeps
$goes"
expect 0 '' --snapshot driven -- true
RESUMED=$loaded
expect 0 '' --snapshot driven -- true
# A machine with other answers, which only a replay detects: the state is removed, and the next run makes another one.
cat >change.py <<'CHANGE'
import struct
import sys
with open(sys.argv[1], 'r+b') as file:
    content = file.read()
    end = len(content) - 64
    length = struct.unpack_from('<Q', content, end - 16)[0]
    record = bytearray(content[end - 16 - length:end - 16])
    at = record.rindex(struct.pack('<QQ', 0xd04, int(sys.argv[2], 0)))
    record[at + 10] ^= 1
    def mix(key, word):
        key = (key ^ word) * 0x100000001b3 % 2**64
        return key ^ key >> 29
    words = [word for word, in struct.iter_unpack('<Q', record)]
    key, whole = 0xcbf29ce484222325, len(words) // 4 * 4
    lanes = [mix(key, i) for i in range(4)]
    for i in range(whole):
        lanes[i % 4] = mix(lanes[i % 4], words[i])
    for word in (lanes if whole else []) + words[whole:]:
        key = mix(key, word)
    file.seek(end - 16 - length)
    file.write(record + struct.pack('<QQ', length, key))
CHANGE
python3 change.py driven.driver 0x10100 || failed=1
expect 125 'driven.driver: this machine answers the driver differently; the snapshot was removed: run the command again' --snapshot driven -- true
expect_state driver none 'it was of another machine'
python3 change.py driven.functions 0 || failed=1
expect 125 'driven.functions: this machine answers the kernel differently; the snapshot was removed: run the command again' --snapshot driven -- true
expect_state functions none 'it was of another machine'
RESUMED=$fresh
expect 0 '' --snapshot driven -- true
expect_state functions there 'they were found again'
expect_state driver there 'it was loaded again'
# A user's file, or a pipe, with the name of a state in a folder remains, and the guest continues without a state.
mkdir states
RESUMED=$fresh
expect 0 '' --snapshot states -- true
for name in states/*.driver states/*.functions; do
  case $name in *.driver) what='the loaded driver' ;; *) what='the functions' && rm states/*.driver ;; esac
  for kind in file pipe; do
    rm "$name"
    [ $kind = file ] && echo 'a letter' >"$name" || mkfifo "$name"
    case $name in
    *.driver) RESUMED="$loads
$keeps
$goes" ;;
    *) RESUMED="$fresh" && rm -f states/*.driver ;;
    esac
    expect 0 "no snapshot of $what was made: the file exists and is not" --snapshot states -- true
    [ "$(find states -name "${name#states/}" -type ${kind%???})" = "$name" ] || { echo "the user's $kind was replaced"; failed=1; }
  done
done
# The module that the guest receives determines the state, not another one that replaces the file while the guest is
# saved.
cp m.ko first.ko
sed 's/intel_uncore/intel_uncorf/' m.ko >second.ko
cp first.ko own.ko
PLAN="$saves
qmp {\"status\":\"completed\"}
command
shell cp second.ko own.ko
end 0"
RESUMED=$fresh
expect 0 '' --snapshot owned --module own.ko -- true
RESUMED="$loads
$keeps
$goes"
expect 0 '' --snapshot owned --module own.ko -- true
RESUMED=$loaded
expect 0 '' --snapshot owned --module own.ko -- true

# ---- a QEMU without pmon's devices, whose guest pmon controls as a debugger ----
HAS=x-pci-proxy-dev
boots='debug
mark ready
debug
hear
mark loaded 0
hear'
# A write and a read back; the clock, which is not the machine's; a register that the processor lacks: the guest's fault
# handler identifies the access.
PLAN="$boots
stop WRITE 0xd11 0x400133 0
stop READ 0xd11 0 0
stop READ 0x10 0 0
stop READ 0xe11 5 6
$end"
expect 0 'rip ffffffff81000016 rcx d11 rax 400133 rdx 0' -- true
printf '%s\n' 'rip ffffffff81000016 rcx d11 rax 400133 rdx 0' 'rip ffffffff81000022 rcx d11 rax 400133 rdx 0' \
  'rip ffffffff81000022 rcx 10 rax 0 rdx 0' 'rip ffffffff81000800 rcx e11 rax 5 rdx 6' >stops
echo "$output" | diff stops - || failed=1
PLAN='debug refuse'
expect 125 "QEMU's debugger interface gave an unexpected answer" --initrd /dev/null
PLAN="debug
mark ready
debug refuse"
expect 125 "QEMU's debugger interface gave an unexpected answer" -- true
PLAN='debug
stop READ 0xd10 0 0
end 0'
expect 0 '' --initrd /dev/null

# ---- kernels, and features that a QEMU lacks ----
HAS="$HAS pmon-msr pmon-window pmon-shared"
expect 125 'torn: gzip could not unpack it' --kernel torn --check -- true
HAS='x-pci-proxy-dev pmon-msr pmon-window'
echo 'ffffffff81000000 T _text' >symbols
expect 125 'this QEMU does not report which code' --symbols symbols -- true
HAS=x-pci-proxy-dev
expect 125 'pmon itself debugs the guest' --gdb 1234 -- true
expect 2 'expected a port from 1 to 65535' --gdb 0 -- true
expect 125 '--snapshot: needs a QEMU built by' --snapshot state -- true
expect 125 'not a 64-bit x86 ELF' --kernel empty -- true
exit $failed
