#!/bin/sh
# SPDX-License-Identifier: MIT
# The documents state the numbers of rows, and the shares, that `pmon machine coverage` prints.
# Usage: documented.sh PMON SOURCES
pmon=$(realpath "$1") && cd "$2" || exit 1
failed=0

# total PLATFORM KEY: a number of the last line, which is that of all units
total()
{
  "$pmon" machine coverage -p "$1" --totals --json | sed -n "\$s/.*\"$2\":\([0-9]*\).*/\1/p"
}

# share PLATFORM: the modelled rows in percent
share()
{
  echo $(((200 * $(total "$1" modelled) / $(total "$1" rows) + 1) / 2))
}

# states FILE SENTENCE
states()
{
  tr '\n' ' ' <"$1" | tr -s ' ' | grep -qF "$2" || { echo "$1 does not state: $2"; failed=1; }
}

states README.md "$(share emr) % of the $(total emr rows) rows of Emerald Rapids are modelled"
states README.md "$(share snbep) % of the E5-2600's $(total snbep rows) rows"
states README.md "$(share montecito) % of Montecito's $(total montecito rows) rows"
states README.md "and $(total snbep not_modelled) rows of the E5-2600"
states NEWS.md "$(share emr) % of Emerald Rapids' rows are modelled, $(share snbep) % of the E5-2600's, \
$(share montecito) % of Montecito's"
states NEWS.md "Not modelled are $(total emr not_modelled) rows of Emerald Rapids, $(total snbep not_modelled) of the \
E5-2600 and $(total montecito not_modelled) of Montecito"
states docs/coverage.md "rows of $(total emr rows) are not modelled"
states docs/coverage.md "counts each of the $(total montecito rows) rows alone"
exit $failed
