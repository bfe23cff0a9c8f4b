#!/bin/sh
# SPDX-License-Identifier: MIT
# `pmon machine run` and `record` as a user calls them: output, refusals, and exit codes.
# usage: commands.sh PMON PROGRAM
set -u
pmon=$(realpath "$1") program=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
command -v qemu-x86_64 >/dev/null || { echo "SKIPPED: no qemu-x86_64: nothing was run or recorded" >&2; exit 77; }
bad=0

# expect CODE TEXT COMMAND...: checks the exit code, and for text on standard error ("": none)
expect() {
  code=$1 words=$2
  shift 2
  "$@" >"$dir/out" 2>"$dir/err"
  got=$?
  if [ $got -ne "$code" ] || { [ "$words" ] && ! grep -qF -- "$words" "$dir/err"; } || [ "$(wc -l <"$dir/err")" -gt 3 ]; then
    echo "FAIL: $*: exit code $got, expected $code and '$words'; said:" >&2
    cat "$dir/err" >&2
    bad=1
  fi
}
same() {
  cmp -s "$1" "$2" || { echo "FAIL: $3" >&2; bad=1; }
}

# Replay of a recording equals the live run, plain and compressed; two runs are equal.
expect 0 "" "$pmon" machine run --json -- "$program"
grep -q '"read_l1_misses":[1-9]' "$dir/out" && ! grep -q 'llc_misses' "$dir/out" ||
  { echo "machine run: cores with L2 do not count LLC misses" >&2; bad=1; }
cp "$dir/out" "$dir/live"
expect 0 "" "$pmon" machine run -- "$program"
grep -qx ' * socket 0 * socket 1 * total' "$dir/out" || { echo "FAIL: no head over the account's columns" >&2; bad=1; }
expect 0 " records written" "$pmon" machine record --plain -o "$dir/plain" -- "$program"
expect 0 " records written" "$pmon" machine record -o "$dir/small" -- "$program"
for trace in plain small; do
  expect 0 "" "$pmon" machine run --json --trace "$dir/$trace"
  same "$dir/out" "$dir/live" "the $trace trace counts as the live run does"
done
grep -q '"instructions":4030,' "$dir/live" || { echo "FAIL: 4030 instructions" >&2; bad=1; }

# The program's own exit code, input and output.
expect 1 "exited with status 3" "$pmon" machine run -- sh -c 'exit 3'
expect 1 "exited with status 7" "$pmon" stat --backend machine -- sh -c 'exit 7'
expect 7 "exited with status 7" "$pmon" stat --backend machine --exit-code -- sh -c 'exit 7'
expect 143 "terminated by signal 15" "$pmon" stat --backend machine --exit-code -- sh -c 'kill -TERM $$'
expect 132 "QEMU does not emulate some instructions" "$pmon" stat --backend machine --exit-code -- sh -c 'kill -ILL $$'
expect 0 "" "$pmon" stat --backend machine --exit-code -- true
expect 2 "no such command" "$pmon" stat --backend machine --exit-code -- nosuchcommand
expect 1 "terminated by signal 15" "$pmon" machine run -- sh -c 'kill -TERM $$'
echo "through" | "$pmon" machine record -o "$dir/cat" -- cat >"$dir/out" 2>/dev/null
echo "through" | cmp -s - "$dir/out" || { echo "FAIL: input and output pass" >&2; bad=1; }
expect 0 "threads of 2 processes ran live" "$pmon" machine run -- sh -c '/bin/true; :'

# Invalid commands and options.
expect 2 "nosuchcommand: no such command in PATH" "$pmon" machine run -- nosuchcommand
expect 2 "not an executable file" "$pmon" machine run -- /etc/passwd
head -c 18 "$program" >"$dir/itanium"
printf '\062\000%045d' 0 >>"$dir/itanium"
chmod +x "$dir/itanium"
expect 2 "an Itanium program, which pmon cannot trace; \`pmon -p montecito stat\` executes it" "$pmon" machine run -- "$dir/itanium"
# A name without a slash is looked up in PATH only, and in the current folder where an element of PATH is empty.
printf '#!/bin/sh\n' >"$dir/only-here"
chmod +x "$dir/only-here"
for platform in emr montecito; do
  expect 2 "only-here: no such command in PATH" sh -c "cd '$dir' && '$pmon' -p $platform stat --backend machine -- only-here"
done
expect 0 "" sh -c "cd '$dir' && PATH=:\$PATH '$pmon' -p emr stat --backend machine -- only-here"
expect 2 "./only-here: not an ELF file; expected an Itanium program" \
  sh -c "cd '$dir' && PATH=:\$PATH '$pmon' -p montecito stat -- only-here"
expect 2 "no such command" "$pmon" machine record -o "$dir/none" -- nosuchcommand
[ ! -e "$dir/none" ] || { echo "FAIL: an empty recording was left" >&2; bad=1; }
cp "$dir/small" "$dir/kept"
expect 2 "no such command" "$pmon" machine record -o "$dir/kept" -- nosuchcommand
cmp "$dir/small" "$dir/kept" || { echo "FAIL: a recording was lost to a command that does not exist" >&2; bad=1; }
expect 1 "No space left on device" "$pmon" machine record -o /dev/full -- true
for option in -o --record --log; do      # the same exit status wherever output cannot be written
  said=$(ulimit -f 0; "$pmon" stat --trace "$dir/plain" -e imc/CAS_COUNT.RD/ $option "$dir/much" 2>&1 >/dev/null; echo "status $?")
  case $said in
    *"cannot be written"*"status 1") ;;
    *) echo "FAIL: stat $option without room: $said" >&2; bad=1 ;;
  esac
done
# A file system that becomes full: a warning before, and the written part is a valid trace, compressed or not.
mkdir "$dir/full"
if mount -t tmpfs -o size=200k none "$dir/full" 2>/dev/null; then
  for option in "" --plain; do
    # shellcheck disable=SC2086
    expect 1 "left on the file system" "$pmon" machine record $option -o "$dir/full/trace" -- sh -c 'i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done'
    grep -q "No space left on device; the records written before remain" "$dir/err" || { echo "FAIL: $(cat "$dir/err")" >&2; bad=1; }
    records=$(sed -n 's/.*trace: \([0-9]*\) records written, .*/\1/p' "$dir/err")
    [ "${records:-0}" -gt 1000 ] || { echo "FAIL: $records records on a full disk" >&2; bad=1; }
    expect 0 "" "$pmon" machine run --json --trace "$dir/full/trace"
    rm "$dir/full/trace"
  done
  umount "$dir/full"
else
  echo "not run: a full disk (no tmpfs can be mounted)" >&2
fi
# On a terminal, one line shows the progress, and is narrower than the terminal; a long path is shortened to its end.
long=$dir/$(printf '%0100d' 0)
mkdir "$long"
for columns in 30 80; do
  TERM=xterm script -qec "stty cols $columns; '$pmon' machine record -o $long/trace -- sleep 1.2" /dev/null </dev/null | tr '\r' '\n' |
    grep ' million records' >"$dir/lines"
  awk -v columns=$columns '{ sub(/^\033\[K/, "") } length >= columns || columns == 80 && !/^\.\.\.0+\/trace: .* free$/ { bad = 1 }
    END { exit bad || !NR }' "$dir/lines" || { echo "FAIL: progress in $columns columns:" >&2; cat "$dir/lines" >&2; bad=1; }
done
expect 2 "cannot be created" "$pmon" machine record -o /nowhere/file -- true
expect 3 "apt install qemu-user" env PATH=/nowhere "$pmon" machine run -- /bin/true
expect 2 "no input; add -- COMMAND" "$pmon" machine run
expect 2 "more than one input" "$pmon" machine run --trace "$dir/plain" -- true
expect 2 "cannot be opened" "$pmon" machine run --trace /nowhere/file
expect 2 "--set wheels=4: the machine has no such parameter" "$pmon" machine run --set wheels=4 -- true
expect 2 "placement 'round'" "$pmon" machine run --place round -- true
expect 2 "pmon machine record: --json: no such option" "$pmon" machine record --json -o "$dir/x" -- true

# Truncated and damaged traces: the error states the position, and the records before it are counted.
head -c 600 "$dir/plain" >"$dir/torn"
expect 2 "torn: the file ends in a chunk, at byte 600; the file is damaged: copy or record it again" \
  "$pmon" machine run --trace "$dir/torn"
printf 'I  04222c40,3\n L 1000,8\nhello\n' >"$dir/lackey"
expect 2 "lackey: line 3: expected" "$pmon" machine run --json --trace "$dir/lackey"
grep -q '"instructions":1,' "$dir/out" || { echo "FAIL: the line before the wrong one is lost" >&2; bad=1; }
# The end of the last complete record is the end of simulated time, also where no core waited for any of it.
for lines in 1 10 1000; do
  for i in $(seq $lines); do printf ' L %x,8\n' $((i * 64)); done >"$dir/right"
  { cat "$dir/right"; echo hello; } >"$dir/lackey"
  expect 0 "" "$pmon" machine run --json --trace "$dir/right"
  mv "$dir/out" "$dir/right.out"
  expect 2 "lackey: line $((lines + 1)): expected" "$pmon" machine run --json --trace "$dir/lackey"
  cmp "$dir/right.out" "$dir/out" || { echo "FAIL: $lines loads before a wrong line do not count as without it" >&2; bad=1; }
done
echo '==1== nothing' >"$dir/lackey"
expect 0 "" "$pmon" machine run --json --trace "$dir/lackey"
grep -q '"simulated_fs":0,' "$dir/out" || { echo "FAIL: a trace without accesses takes time: $(head -c 60 "$dir/out")" >&2; bad=1; }

# Injected occurrences have the thread that their event filters by.
cat >"$dir/threads.scn" <<'END'
set platform=emr
inject cha2 TOR_INSERTS.IA_MISS_DRD,tid=0x13 6
inject cha2 TOR_INSERTS.IA_MISS_DRD,tid=0xb 30
hold cha3 RxC_OCCUPANCY.IRQ,tid=0x13 3 for 10ns
expect cha2 TOR_INSERTS.IA_MISS_DRD,tid=0x13 == 6
expect cha2 TOR_INSERTS.IA_MISS_DRD == 36
expect cha3 RxC_OCCUPANCY.IRQ,tid=0x13 >= 60
END
expect 0 "" "$pmon" machine run --scenario "$dir/threads.scn"
exit $bad
