# SPDX-License-Identifier: MIT
# Prints the output of the tools of tools.sh as lines `INTERVAL TOOL EVENT SOCKET INSTANCE COUNT`. Each line of input
# begins with the tool; MEM is likwid's second measurement.
function put(event, socket, instance, n) { print interval[$1], $1, event, socket, instance, n }
BEGIN {
  interval["perf"] = 0; interval["pcm"] = 1; interval["likwid"] = 2; interval["MEM"] = 3; interval["pmon"] = 4
  event["CAS"] = event["CAS_COUNT_RD"] = event["imc/CAS_COUNT.RD/"] = "reads"
  event["DRAMClocksDCLK"] = event["DRAM_CLOCKTICKS"] = event["imc/CLOCKTICKS/"] = "clocks"
  event["MISS"] = event["TOR_INSERTS_MISS_ALL"] = event["cbo/TOR_INSERTS.MISS_ALL/"] = "misses"
  event["DATA"] = event["TXL_FLITS_G0_DATA"] = event["qpi/TxL_FLITS_G0.DATA/"] = "flits"
}
{ n = split($2, field, ",") }
# S0 1 COUNT uncore_imc_0/event=4,umask=3/
$1 == "perf" && $2 ~ /^S[01]$/ {
  split($5, part, "/")
  put(part[1] ~ /cbox/ ? "misses" : part[1] ~ /qpi/ ? "flits" : part[2] == "clockticks" ? "clocks" : "reads",
      substr($2, 2), substr(part[1], length(part[1])), $4)
}
# A line of boxes such as SKT0CHAN2, then a line of names, then a line of counts. The channels that pcm finds first are
# devices 16.4 and 16.5, the guide's 2 and 3.
$1 == "pcm" && $2 ~ /^,,,SKT/ { last = split($2, box, ",") - 1 }
$1 == "pcm" && $2 ~ /^Date,/ { split($2, name, ",") }
$1 == "pcm" && $2 ~ /^20[0-9-]*,/ {
  for (i = 4; i <= last; i++) {
    instance = substr(box[i], length(box[i]))
    put(event[name[i]], substr(box[i], 4, 1), box[i] ~ /CHAN/ ? (instance + 2) % 4 : instance, field[i])
  }
}
# NAME,COUNTER,COUNT of the first socket,COUNT of the second
$1 ~ /^(likwid|MEM)$/ && field[1] in event && field[2] ~ /BOX/ {
  for (socket = 0; socket < 2; socket++)
    put(event[field[1]], socket, substr(field[2], 5, 1), field[3 + socket])
}
$1 == "pmon" && field[4] in event { put(event[field[4]], field[5], field[7], field[8]) }
# `pmon stat -I` on this host: field 1 is an interval's start. All other tools are compared with it.
$1 == "want" && field[4] in event { print int(field[1] * 1e5 + 0.5), $1, event[field[4]], field[5], field[7], field[8] }
