#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions have at most five parameters (docs/style.md); a buffer and its size count as one. A function with more gives
# the reason in a comment with the word "parameters", at its definition or at its prototype. Usage: parameters.sh
# SOURCE-ROOT
set -u
cd "$1" || exit 1

find cli gen include machine plugin src vm -name '*.[ch]' | sort | xargs awk '
  # Returns the number of parameters of the declarator in `head`, and sets `name`.
  function count(head,   parts, n, i, c, depth, from, to, text) {
    name = head
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    from = index(head, "(")
    for (i = from; i <= length(head) && !to; i++) {
      c = substr(head, i, 1)
      depth += (c == "(") - (c == ")")
      if (!depth) to = i
      text = text (c == "," && depth == 1 ? "\n" : c)
    }
    n = split(text, parts, "\n")
    for (i = split(text, parts, "\n"); i > 1; i--)
      if (parts[i] ~ /^ *(size_t|uint32_t|unsigned) (n|size|[a-z_]*_size)\)?$/ && parts[i - 1] ~ /\*/) n--
    return n
  }
  FNR == 1 { head = comment = "" }
  # A whole comment in column 0: it belongs to the function that follows directly.
  /^\/\*/ { comment = $0; open = !/\*\//; next }
  open { comment = comment " " $0; open = !/\*\//; next }
  /^[A-Za-z_]/ && !/^(struct|enum|union)[^()]*\{/ && !/^typedef/ { head = $0; begin = FNR; why = comment; comment = "" }
  /^ / && head != "" { head = head " " $0 }
  /^$/ { comment = head = "" }
  head ~ /\)[^()]*;$/ && head !~ /=/ && head ~ /^[^(]*[A-Za-z_0-9]\(/ {
    count(head)
    if (why ~ /parameters/) explained[name] = 1
    head = ""
  }
  /^\{/ && head ~ /\(/ {
    functions++
    n = count(head)
    if (why ~ /parameters/) explained[name] = 1
    if (n > 5) { found[++many] = FILENAME ":" begin ": " name "() has " n " parameters; group them in a struct, or explain them"; named[many] = name }
    head = ""
  }
  END {
    for (i = 1; i <= many; i++)
      if (!explained[named[i]]) { print found[i]; bad = 1 }
    if (functions < 2000 || many < 5) { print "only " functions + 0 " functions found, " many + 0 " with more than five"; bad = 1 }
    exit bad
  }
'
