# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# A real terminal (tmux) in a temporary folder, for tests that source this. $terminal: TERM; $failed: 1 after complain.
command -v tmux >/dev/null || { echo "SKIPPED: no tmux" >&2; exit 77; }
work=$(mktemp -d) || exit 1
socket=$work/tmux0
servers=0
TMUX_TMPDIR=$work
export TMUX_TMPDIR
mux() { timeout -s KILL 10 tmux -S "$socket" -f /dev/null "$@"; }
trap 'mux kill-server 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
complain() { echo "$*"; failed=1; }
# Waits until the screen shows a text, at most 20 s.
await() {
  tries=0
  while ! mux capture-pane -p 2>/dev/null | grep -qF -e "$1"; do
    tries=$((tries + 1))
    [ $tries -lt 400 ] || { complain "never shown: $1; instead: $(mux capture-pane -p | head -30)"; return 1; }
    timeout 0.05 tail -f /dev/null
  done
  return 0
}
# start COLUMNS LINES LOCALE COMMAND: what follows the end stays on the screen.
start() {
  mux kill-server 2>/dev/null
  servers=$((servers + 1))
  socket=$work/tmux$servers
  mux new-session -d -x "$1" -y "$2" "LC_ALL=$3 TERM=${terminal-tmux-256color} $4; echo \"status \$?\"; cat" || complain "tmux does not start"
}
screen() { mux capture-pane -p "$@"; }
