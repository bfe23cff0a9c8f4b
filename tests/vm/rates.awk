# SPDX-License-Identifier: MIT
# Prints the output of pcm-memory and pcm-power of tools.sh as lines `NAME WANT GOT`. Each line of input begins with the
# tool; those of pmon stat, `want`, come first.
#
# pcm-memory prints rates without their interval, which is some number of whole milliseconds of the guest's clock. The
# first rate determines this number; each other rate then has one correct value, to the last digit of a 24-bit number.
# pcm-power prints counts, and ratios of two counts.
function abs(x) { return x < 0 ? -x : x }
function put(name, want, got, unit) {
  if (abs(got - want) <= unit + want * 2 ^ -21)
    want = got
  printf "%s %.12g %.12g\n", name, want, got
}
# pcm's channels 0 and 1 are devices 16.4 and 16.5, the guide's 2 and 3.
function instance(channel) { return (channel + 2) % 4 }
function all(event, socket,   i, n) {
  for (i = 0; i < 4; i++)
    n += count[5, event, socket, i]
  return n
}
function lines(column, socket,   n) {
  if (socket == "System")
    return lines("Mem " column, 0) + lines("Mem " column, 1)
  if (column ~ /^Ch/)
    return count[5, "imc/CAS_COUNT." (column ~ /Read/ ? "RD/" : "WR/"), socket, instance(substr(column, 3, 1))]
  if (column ~ /^P/)
    return all("imc/CAS_COUNT.RD_UNDERFILL/", socket)
  n = column ~ /Write/ ? 0 : all("imc/CAS_COUNT.RD/", socket)
  return n + (column ~ /Read/ ? 0 : all("imc/CAS_COUNT.WR/", socket))
}
function rates(line,   rate, place, column, n, i, ms, each, socket, want) {
  n = split(line, rate, ",")
  split(places, place, ",")
  split(columns, column, ",")
  for (i = 3; i <= n; i++) {
    each = column[i] ~ /^P/ ? 1000 : 0.064            # transfers a second, or MB/s
    socket = place[i]
    sub(/^SKT/, "", socket)
    if (i == 3) {
      ms = lines(column[i], socket) * each / rate[i]
      put("memory:milliseconds", int(ms + 0.5), ms, 0)
      ms = int(ms + 0.5)
    }
    want = lines(column[i], socket) * each / ms
    sub(/ *\(.*/, "", column[i])
    gsub(/ /, "-", column[i])
    put("memory:" column[i] ":" socket, want, rate[i], each == 1000 ? 1 : 0.006)
  }
}
function percent(what, event, clocks, socket, i, got) {
  sub(/%/, "", got)
  put(what, 100 * count[6, event, socket, i] / count[6, clocks, socket, i], got, 0.006)
}
# A change in the first cycle of the interval is counted by counters that continue from the interval before, as those of
# pmon stat -I do, but not by counters that a tool starts in this cycle: a difference of one change is correct.
function on_average(n, changes, got,   more) {
  for (more = -1; more <= 1; more++)
    if (int(n / (changes + more + 1)) == got)
      return got
  return int(n / (changes + 1))
}
function channel(name, socket, i, rank,   clocks, off, on) {
  clocks = count[6, "imc/CLOCKTICKS/", socket, i]
  off = count[6, "imc/POWER_CKE_CYCLES.RANK" rank ":off/", socket, i]
  on = count[6, "imc/POWER_CKE_CYCLES.RANK" rank ":on/", socket, i]
  put(name ":clocks", clocks, number[2], 0)
  percent(name ":off", "imc/POWER_CKE_CYCLES.RANK" rank ":off/", "imc/CLOCKTICKS/", socket, i, number[3])
  put(name ":off-at-a-time", on_average(off, on, number[4]), number[4], 0)
  put(name ":on-each", on_average(clocks, on, number[5]), number[5], 0)
}
function link(name, socket, i) {
  put(name ":clocks", count[6, "qpi/CLOCKTICKS/", socket, i], number[2], 0)
  percent(name ":L0p", "qpi/TxL0P_POWER_CYCLES/", "qpi/CLOCKTICKS/", socket, i, number[3])
  percent(name ":L1", "qpi/L1_POWER_CYCLES/", "qpi/CLOCKTICKS/", socket, i, number[4])
}
# A band applies from the next change of the frequency on (guide 2.6.7). Where it excludes frequencies, the count
# depends on when the tool wrote it, so that only bands that all of these frequencies reach are compared.
function bands(name, socket,   i) {
  put(name ":clocks", count[6, "pcu/CLOCKTICKS/", socket, 0], number[2], 0)
  for (i = 0; i < 2; i++)
    percent(name ":band" i, "pcu/FREQ_BAND" i "_CYCLES/", "pcu/CLOCKTICKS/", socket, 0, number[3 + i])
}
# imc/... of socket S and instance I; the interval is field 1
$1 == "want" {
  sub(/,thresh=0x1,invert=0x1/, ":off")
  sub(/,thresh=0x1,edge_det=0x1/, ":on")
  sub(/,filt[0-9_]*=0x[0-9a-f]*/, "")
  gsub(/"/, "")
  split($2, field, ",")
  count[int(field[1] * 1e5 + 0.5), field[4], field[5], field[7]] = field[8]
}
$1 == "memory" && $2 ~ /^,,SKT0,/ { places = $2 }
$1 == "memory" && $2 ~ /^Date,/ { columns = substr($0, index($0, "Date")) }
$1 == "memory" && $2 ~ /^20[0-9-]*,/ {
  gsub(/ /, "")
  rates(substr($0, length("memory") + 1))
}
# S0P0; QPI Clocks: 10000; L0p Tx Cycles: 30.00%; L1 Cycles: 0.00%
# S0CH0; DRAMClocks: 8000; Rank0 CKE Off Residency: 0.00%; Rank0 CKE Off Average Cycles: 0; Rank0 Cycles per ...: 8000
# S0; PCUClocks: 8000; Freq band 0/1/2 cycles: 100.00%; 100.00%; 0.00%
$1 == "power" && /Clocks: / {
  n = split($0, number, ";")
  name = number[1]
  sub(/ /, ":", name)
  socket = substr(name, 8, 1)
  i = substr(name, length(name))
  rank = number[3] ~ /Rank1/
  for (j = 2; j <= n; j++)
    sub(/.*: */, "", number[j])
  if (name ~ /CH/)
    channel(name ":rank" rank, socket, instance(i), rank)
  else if (name ~ /P/)
    link(name, socket, i)
  else
    bands(name, socket)
}
