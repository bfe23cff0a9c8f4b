# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# A real terminal (tmux) in a temporary folder, for tests that source this. $terminal: TERM; $failed: 1 after complain.
command -v tmux >/dev/null || { echo "SKIPPED: no tmux" >&2; exit 77; }
work=$(mktemp -d) || exit 1
socket=$work/tmux0
servers=0
TMUX_TMPDIR=$work
export TMUX_TMPDIR
mux() { timeout -s KILL 600 tmux -S "$socket" -f /dev/null "$@"; }
trap 'mux kill-server 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
complain() { echo "$*"; failed=1; }
# holds WHAT COMMAND...: waits until the command succeeds, at most 100 s of sleep. A picture reaches the terminal in
# pieces, so that a single look may see half of it, with the rest of the previous one.
holds() {
  what=$1 tries=2000
  shift
  until "$@"; do
    [ $((tries -= 1)) -gt 0 ] || { complain "$what; instead: $(screen | head -30)"; return 1; }
    timeout 0.05 tail -f /dev/null
  done
  return 0
}
# shows: the screen has a text. like: it matches an expression. unlike: it is not empty and does not match. once:
# exactly one line matches. Further arguments are options of capture-pane.
shows() { screen 2>/dev/null | grep -qF -e "$1"; }
like() { expression=$1; shift; screen "$@" 2>/dev/null | grep -qE -e "$expression"; }
unlike() { expression=$1; shift; text=$(screen "$@" 2>/dev/null) && [ -n "$text" ] && ! printf '%s' "$text" | grep -qE -e "$expression"; }
once() { [ "$(screen | grep -cE -e "$1")" -eq 1 ]; }
await() { holds "never shown: $1" shows "$1"; }
# start COLUMNS LINES LOCALE COMMAND: starts the command; the screen stays after it exits.
start() {
  mux kill-server 2>/dev/null
  servers=$((servers + 1))
  socket=$work/tmux$servers
  mux new-session -d -x "$1" -y "$2" "LC_ALL=$3 TERM=${terminal-tmux-256color} $4; echo \"status \$?\"; cat" || complain "tmux does not start"
}
screen() { mux capture-pane -p "$@"; }
