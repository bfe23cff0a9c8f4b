#!/bin/sh
# SPDX-License-Identifier: MIT
# The vocabulary (docs/style.md): no file uses a word of words.list, in code, comments, messages or documentation, no
# name is a static function in more than three files, and warnings are printed by one function.
# Usage: words.sh SOURCE-ROOT
set -u
bad=0
list=$(cd "$(dirname "$0")" && pwd)/words.list
cd "$1" || exit 1
export LC_ALL=C

# Files with the wording of others: the guides' event texts, licences, recorded output of other tools.
others='tests/rooms/words.sh docs/style.md'

# The files of the given folders, except those in another's wording.
files() {
  find "$@" -type f | sort | awk -v skip="$others" '
    BEGIN { n = split(skip, prefix, " ") }
    { for (i = 1; i <= n; i++) if (index($0, prefix[i]) == 1) next; print }'
}

texts=$(files NEWS.md README.md bench cli docs examples fuzz gen helper include machine man plugin python scripts src tests vm |
  grep -E '\.([chp1357]|inc|md|sh|py|cpp|build)$')
[ "$(echo "$texts" | wc -l)" -gt 150 ] || { echo "not enough files found"; exit 1; }
echo "$texts" | xargs awk -v list="$list" '
  function refused(text, i) {
    text = tolower(text)
    gsub(/_/, " ", text)
    if (text !~ any) return 0
    for (i = 1; i <= rules; i++) if (text ~ pattern[i]) return i
    return 0
  }
  BEGIN {
    while ((getline line < list) > 0) {
      if (line ~ /^#/ || split(line, half, "\t") != 2) continue
      rules++
      pattern[rules] = "(^|[^a-z])(" half[1] ")([^a-z]|$)"
      instead[rules] = half[2]
      any = any (any == "" ? "" : "|") half[1]
    }
    if (rules < 15) { print "only " rules + 0 " rows in " list; bad = 1; exit }
    # The list matches the words that it forbids, and no ordinary word.
    if (!refused("he told us") || !refused("static void tell(x)") || !refused("by_turns") || !refused("give back") ||
        refused("doorbell, flawed, intelligent, settlement, toll") || refused("puts offset")) {
      print "words.list does not refuse what it should, or refuses an ordinary word"
      bad = 1
      exit
    }
  }
  { k = refused($0); if (k) { print FILENAME ":" FNR ": write \"" instead[k] "\" instead: " $0; bad = 1 } }
  END { exit bad }
' || bad=1

names=$(files src gen fuzz machine vm cli plugin bench tests | grep -E '\.[ch]$')
echo "$names" | xargs awk '
  /^static [^=;]*[ *][a-zA-Z_0-9]+\(/ {
    name = $0
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    if (name != "__attribute__" && !((name, FILENAME) in seen)) { seen[name, FILENAME] = 1; count[name]++; where[name] = where[name] " " FILENAME }
  }
  END {
    for (name in count) {
      total++
      if (count[name] > 3) { print name ": a static function in " count[name] " files:" where[name]; bad = 1 }
    }
    if (total < 500) { print "only " total + 0 " static functions found"; bad = 1 }
    exit bad
  }
' || bad=1

# Only message.c writes the kind of a message, so that it stands in the same place in each.
kinds='"([^"]*[^a-z"])?(warning|note|error): '
grep -qE "$kinds" cli/common/message.c || { echo "the pattern of kinds of messages does not match message.c"; bad=1; }
files cli helper machine plugin src vm | grep '\.c$' | grep -v '^cli/common/message\.c$' | xargs grep -nE "$kinds" &&
  { echo "use cli_warn(), cli_note() or cli_fail()"; bad=1; }
exit $bad
