#!/bin/sh
# SPDX-License-Identifier: MIT
# test_errors.c (for the machine, test_machine.c) calls each public function that returns a status with an input that
# fails. Usage: errors.sh SOURCE-ROOT
set -u
cd "$1" || exit 1

# These fail only without memory or with a full file system, or return no status.
exempt='pmon_backend_trace_new pmon_backend_allow_new pmon_backend_dry_new pmon_backend_inject_new pmon_backend_capture_new pmon_context_new
        pmon_context_error_status pmon_plan_new pmon_recording_session pmon_record_add pmon_record_update pmon_record_add_regions pmon_record_close
        pmon_machine_backend pmon_report_add_invariants pmon_session_check_invariants
        pmon_session_region_close'

# Comments and calls that are expected to succeed do not count.
awk -v exempt="$exempt" '
  BEGIN { n = split(exempt, names, /[ \n]+/); for (i = 1; i <= n; i++) known[names[i]] = 1 }
  # assert_int_equal(), or a helper of that file that compares a status
  FILENAME ~ /test_machine\.c$/ {
    text = $0
    while (/PMON_E_/ && match(text, /pmon_machine_[a-z_]+\(/)) {
      tested[substr(text, RSTART, RLENGTH - 1)] = 1
      text = substr(text, RSTART + RLENGTH)
    }
    next
  }
  FILENAME ~ /test_errors(_output)?\.c$/ {
    text = $0
    while (match(text, /FAILS(_OUTSIDE)?\(pmon_[a-z_]+\(/)) {
      name = substr(text, RSTART, RLENGTH - 1)
      sub(/.*\(/, "", name)
      tested[name] = 1
      text = substr(text, RSTART + RLENGTH)
    }
    next
  }
  /^PMON_API int / {
    name = $0
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    functions++
    if (tested[name] && known[name]) { print name ": tested, and exempt"; bad = 1 }
    if (!tested[name] && !known[name]) { print FILENAME ": test_errors.c has no failing call of " name; bad = 1 }
  }
  END { if (functions < 70) { print "only " functions " functions found"; bad = 1 }; exit bad }
' tests/library/test_errors.c tests/library/test_errors_output.c tests/library/test_machine.c include/pmon/*.h
