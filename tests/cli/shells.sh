#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the completion scripts in the shells themselves, and checks the completions of command lines. Usage: shells.sh
# PMON
pmon=$(realpath "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ln -s "$pmon" "$work/pmon"
mkdir "$work/folder"
: >"$work/folder/state.scn"
PATH=$work:$PATH
export PATH
failed=0

# Lines, each with a word that must be among its completions (for bash: the part after the last = or :).
cat >"$work/cases" <<'END'
pmon st|stat
pmon machine cov|coverage
pmon machine run --set numa=|interleave
pmon machine run --set dram.p|dram.page=
pmon machine run --set dram.page=c|closed
pmon stat --backend d|direct
pmon stat --freeze b|boundaries
pmon stat --preset c|cachegrind
pmon -p emr stat -m MEM_READ_BANDWIDTH,MEM_WR|MEM_WRITE_BANDWIDTH
pmon -p emr stat -e imc/CAS_COUNT.R|imc/CAS_COUNT.RD/
pmon -p emr encode CAS_COU|CAS_COUNT.
pmon -p montecito sample --source br|branches
pmon -p montecito sample --source dtlb=VH|VHPT
pmon restore --backend m|machine
pmon vm --traffic g|guest
pmon units --color nev|never
pmon stat --verb|
pmon sample --cat|
END

cat >"$work/driver.bash" <<'END'
eval "$(pmon completion bash)"
while IFS='|' read -r line want; do
  COMP_LINE=$line COMP_POINT=${#line}
  # bash splits words at = and : before it completes
  read -ra COMP_WORDS <<<"${line//=/ = }"
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  compopt() { :; }
  COMPREPLY=()
  _pmon
  if [ -z "$want" ]; then
    [ -z "${COMPREPLY[*]}" ] || { echo "bash: $line: ${COMPREPLY[*]}"; exit 1; }
    continue
  fi
  found=no
  for word in "${COMPREPLY[@]}"; do [[ $word == *"$want" ]] && found=yes; done
  [ $found = yes ] || { echo "bash: $line: $want is not among: ${COMPREPLY[*]}"; bad=1; }
done
exit ${bad-0}
END
bash "$work/driver.bash" <"$work/cases" || failed=1

if command -v fish >/dev/null; then
  pmon completion fish >"$work/pmon.fish"
  while IFS='|' read -r line want; do
    [ -n "$want" ] || continue
    HOME=$work fish -c "source $work/pmon.fish; complete -C'$line'" 2>/dev/null | cut -f1 >"$work/out"
    grep -qF -e "$want" "$work/out" || { echo "fish: $line: $want is not among: $(cat "$work/out")"; failed=1; }
  done <"$work/cases"
  # fish offers files where pmon offers nothing, and only there; a pmon outside the PATH is itself called for
  # completions.
  while IFS='|' read -r line want; do
    found=$(cd "$work/folder" && HOME=$work fish -c "source ../pmon.fish; complete -C'$line'" 2>&1 | cut -f1 | paste -sd ' ')
    [ "$found" = "$want" ] || { echo "fish: $line: $found, not $want"; failed=1; }
  done <<'END'
pmon stat --preset c|cachegrind
pmon sta|stat
pmon stat |state.scn
~/pmon sta|stat
END
else
  echo "SKIPPED: there is no fish"
fi

if command -v zsh >/dev/null; then
  pmon completion zsh >"$work/_pmon"
  while IFS='|' read -r line want; do
    [ -n "$want" ] || continue
    # compadd prints the completions
    zsh -f -c '
      compdef() { :; }; _files() { :; }
      compadd() { while [ "$1" != -- ]; do shift; done; shift; print -l -- "$@"; }
      source '"$work"'/_pmon
      words=(${(s: :)1}); CURRENT=$#words
      _pmon' zsh "$line" >"$work/out" 2>&1
    grep -qF -e "$want" "$work/out" || { echo "zsh: $line: $want is not among: $(cat "$work/out")"; failed=1; }
  done <"$work/cases"
  # On a pseudo-terminal, with the completion system: the line after a tab, including the blank that follows.
  cat >"$work/driver.zsh" <<'END'
zmodload zsh/zpty || exit 77
zpty -b shell zsh -f -i
zpty -w shell "PS1= PS2= HOME=$1 PATH=$PATH; cd $1/folder; autoload -Uz compinit; compinit -u -D; eval \"\$(pmon completion zsh)\""
zpty -w shell 'probe() { zle complete-word; zle -I; print -r -- "{$BUFFER}"; BUFFER= }; zle -N probe; bindkey "^T" probe; print comple""table'
zpty -r shell out '*completable*'
while IFS='|' read -r line want; do
  zpty -w -n shell "$line"$'\x14'
  zpty -r shell out '*{*}*'
  found="${${out##*\{}%%\}*}\$" # the end, behind which a blank is seen
  [ "$found" = "$want" ] || { print -r -- "zsh: $line: \"$found\", not \"$want\""; bad=1 }
done
exit ${bad-0}
END
  timeout 50 zsh -f "$work/driver.zsh" "$work" <<'END' || failed=1
pmon sta|pmon stat $
pmon stat |pmon stat state.scn $
pmon stat --preset c|pmon stat --preset cachegrind $
pmon machine run --set dram.pa|pmon machine run --set dram.page=$
pmon stat --scenario s|pmon stat --scenario state.scn $
~/pmon sta|~/pmon stat $
END
else
  echo "SKIPPED: there is no zsh"
fi
exit $failed
