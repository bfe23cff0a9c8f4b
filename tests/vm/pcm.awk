# SPDX-License-Identifier: MIT
# Prints the output of pcm-raw, likwid-perfctr and pcm of pcm.sh as lines `NAME WANT GOT`. Each line of input begins
# with the tool; the machine's account (`account PART`: up to that part's end) and pmon stat's counts (`stat`) come
# first.
function put(name, want, got) { gsub(/ /, "", name); print name, want, got + 0 == 0 ? 0 : got }
function did(part, what, socket) { return account[part, what, socket] - account[part - 1, what, socket] }
function all(event, socket,   i, n) {
  if (socket == "all")
    return all(event, 0) + all(event, 1)
  for (i = 0; i < 4; i++)
    n += count[event, socket, i]
  return n
}
# QPI: a flit carries 8 bytes of data.
function arrived(socket, link) {
  return (count["qpi/RxL_FLITS_G1.DRS_DATA/", socket, link] + count["qpi/RxL_FLITS_G2.NCB_DATA/", socket, link]) * 8
}
# Expected value of a column of pcm; "": it depends on time, or is unknown here.
function wanted(place, column,   socket) {
  if (place ~ /dataIn$/)
    return arrived(substr(place, 4, 1), substr(column, 4, 1)) * 1e-6
  if (column == "TotalQPIin")
    return (arrived(0, 0) + arrived(0, 1) + arrived(1, 0) + arrived(1, 1)) * 1e-6
  if (place !~ /^(System|Socket .|Core. \(Socket .\))$/)
    return ""
  sub(/\)/, "", place)
  socket = place == "System" ? "all" : substr(place, length(place))
  if (column in memory)
    return all(memory[column], socket) * 64e-9
  if (column in million)
    return did(3, million[column], socket) * 1e-6
  return column in ratio ? did(3, ratio[column], socket) / did(3, per[column], socket) : ""
}
BEGIN {
  memory["READ"] = "imc/CAS_COUNT.RD/"
  memory["WRITE"] = "imc/CAS_COUNT.WR/"
  what["GENERAL"] = what["FIXC0"] = what["InstructionsRetired"] = million["INST"] = ratio["IPC"] = "instructions"
  what["FIXC1"] = what["Cycles"] = million["ACYC"] = ratio["AFREQ"] = per["IPC"] = "cycles"
  what["FIXC2"] = what["RefCycles"] = per["AFREQ"] = "reference_cycles"
}
$1 == "account" && $3 ~ /^(instructions|cycles|reference_cycles)$/ {
  account[$2, $3, 0] = $4
  account[$2, $3, 1] = $5
  account[$2, $3, "all"] = $6
}
$1 == "stat" {
  split($2, field, ",")
  count[field[4], field[5], field[7]] = field[8]
}
# A line of cores such as SKT0CORE0, then a line of names, then a line of counts.
$1 == "raw" && $2 ~ /^,,,SKT/ { split($2, core, ",") }
$1 == "raw" && $2 ~ /^Date,/ { split($2, name, ",") }
$1 == "raw" && $2 ~ /^20[0-9-]*,/ {
  n = split($2, field, ",")
  for (i = 4; i < n; i++)                  # OTHER is what nobody knows: nothing
    put("raw:" core[i] ":" name[i], did(1, what[name[i]], substr(core[i], 4, 1)) + 0, field[i])
}
# NAME,COUNTER,COUNT of the first socket's processor,COUNT of the second's
$1 == "likwid" && $2 ~ /,FIXC[0-2],/ && $2 !~ /STAT/ {
  split($2, field, ",")
  for (i = 0; i < 2; i++)
    put("likwid:" i ":" field[2], did(2, what[field[2]], i), field[3 + i])
}
$1 == "pcm" && /^pcm System/ { split(substr($0, 5), place, ",") }
$1 == "pcm" && $2 ~ /^Date,/ { split(substr($0, 5), column, ",") }
$1 == "pcm" && $2 ~ /^20[0-9-]*,/ {
  n = split(substr($0, 5), field, ",")
  for (i = 3; i <= n; i++) {
    want = wanted(place[i], column[i])
    if (want != "")
      put("pcm:" place[i] ":" column[i], sprintf("%.2f", want), field[i])
  }
}
