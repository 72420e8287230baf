# SPDX-License-Identifier: BSD-3-Clause
# For tests that are scripts. Sourced; they end with `exit $((failures ? 1 : 0))`.
failures=0

fail() { echo "FAILED: $*"; ((++failures)); }
expect() {  # WHAT STATUS PATTERN COMMAND...: ends so, and says the pattern; $said is what it prints
  local what=$1 status=$2 pattern=$3 got
  shift 3
  said=$("$@" 2>&1 </dev/null)
  got=$?
  ((got == status)) || fail "$what: expected status $status, got $got: $said"
  [[ $said == *$pattern* ]] || fail "$what: expected '$pattern', got '$said'"
}
