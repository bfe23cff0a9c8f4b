# SPDX-License-Identifier: MIT
# The real programs of bench/live.sh, bench/parts.sh and bench/delivery.sh, which source this file: `program NAME
# COMMAND...` for each, with the text in $dir/lines and a part of it in $dir/some.
program sort sort -o "$dir/sorted" "$dir/lines"
program gzip gzip -c "$dir/lines"
program bzip2 bzip2 -c "$dir/some"
program xz xz -1 -c "$dir/some"
# shellcheck disable=SC2016
program perl perl -ne '$n{substr($_, 0, 3)} += $_ % 97; END { print "$_ $n{$_}\n" for sort keys %n }' "$dir/lines"
# shellcheck disable=SC2016
program awk awk '{ n[substr($0, 1, 3)] += $0 % 97 } END { for (k in n) print k, n[k] }' "$dir/lines"
