#!/bin/sh
# SPDX-License-Identifier: MIT
# Only one place depends on processor names: strings with a processor's name, comparisons of the parameter `platform`
# and comparisons of uncore operations occur only in the models' own rooms and in the registry. Usage: platform_names.sh
# SOURCE-ROOT
set -u
cd "$1" || exit 1

names=$(sed -n 's/^#define MODEL_WORDS "\(.*\)"$/\1/p' machine/model.h)
others=$(sed -n 's/^ *\.name = "\([a-z0-9_]*\)".*/\1/p' machine/*/model.c)
names=$(printf '%s\n' $names $others | sort -u)
[ "$(printf '%s\n' $names | wc -l)" -ge 3 ] || { echo "only these processors found: $names"; exit 1; }
pattern=$(printf '%s|' $names)
pattern=${pattern%|}

files=$(find src machine vm cli plugin -name '*.[ch]' | grep -vE '^machine/(emr|snbep|montecito)/|^machine/model\.[ch]$')
[ "$(printf '%s\n' $files | wc -l)" -gt 200 ] || { echo "too few files"; exit 1; }
bad=0
# A string that consists of processor names only. Comments and messages with other words are allowed.
grep -nE "\"($pattern)( ($pattern))*\"" $files && { echo "a processor's name: ask the model (machine/model.h)"; bad=1; }
# machine/model.c and machine/config.c translate between the parameter and the registry; machine/sources.c gives the
# source of each value.
grep -nE 'CONFIG_PLATFORM' $files | grep -vE '^machine/(config|sources)\.c:' && { echo "the parameter platform: ask model_of()"; bad=1; }
grep -nE "\b($pattern)_(uncore|model)\b" $files && { echo "operations of one processor: ask the model"; bad=1; }
exit $bad
