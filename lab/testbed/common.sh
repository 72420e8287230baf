# SPDX-License-Identifier: BSD-3-Clause
# What up, down, run, cluster and enter share. Sourced.
#
# A testbed NAME is: network namespaces ovlp-NAME-node0..N-1 and ovlp-NAME-switch (which holds the bridge), control
# groups ovlp-NAME/node0..N-1 and ovlp-NAME-waker, a ticker, and the folder below, which says so. Nothing else of
# the machine changes.

testbeds=/run/ovlp-testbed

fail() { echo "lab/testbed/${0##*/}: $*" >&2; exit 1; }
usage() { echo "lab/testbed/${0##*/}: $*" >&2; exit 2; }

need_root() { ((EUID == 0)) || fail "needs root, to make network namespaces and control groups; you are $(id -un)"; }
need_tool() { command -v "$1" >/dev/null || fail "needs the command $1 (Debian package $2)"; }

check_name() {
  [[ $1 =~ ^[a-z][a-z0-9]{0,15}$ ]] || usage "--name: expected up to 16 small letters and digits, got '$1'"
}
huge_pages=/proc/sys/vm/nr_hugepages
lock=$testbeds/.lock  # of those who add to their number, or take from it
namespace_of() { echo "ovlp-$1-$2"; }          # NAME node3|switch
address_of() { echo "10.213.0.$(($1 + 1))"; }  # of node NUMBER; enter knows it, too
switch_address=10.213.0.254

# The folder of control groups that limits CPU time, and its version: "1 /sys/fs/cgroup/cpu".
cpu_controller() {
  awk '$3 == "cgroup" && ("," $4 ",") ~ /,cpu,/ { print 1, $2; exit }' /proc/self/mounts | grep . && return 0
  awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts | while read -r folder; do
    if grep -qw cpu "$folder/cgroup.controllers"; then echo 2 "$folder"; fi
  done
}

# What a testbed consists of that is still there, one a line.
leftovers() {  # NAME
  local controller version folder group
  ip netns list 2>/dev/null | awk -v start="ovlp-$1-" 'index($1, start) == 1 { print "namespace", $1 }'
  controller=$(cpu_controller)
  read -r version folder <<<"$controller"
  if [[ -n $version ]]; then
    for group in "$folder/ovlp-$1" "$folder/ovlp-$1-waker"; do
      if [[ -d $group ]]; then echo "group $group"; fi
    done
  fi
  if [[ -d $testbeds/$1 ]]; then echo "folder $testbeds/$1"; fi
}

# Ends the processes of a control group and removes it.
remove_group() {  # FOLDER
  local tries process
  for ((tries = 200; tries > 0; --tries)); do
    while read -r process; do kill -KILL "$process" 2>/dev/null || true; done <"$1/cgroup.procs"
    rmdir "$1" 2>/dev/null && return 0
    sleep 0.05  # processes that end keep it busy
  done
  return 1
}

remove_testbed() {  # NAME
  local what where group
  if [[ -f $testbeds/$1/ticker.pid ]]; then
    # Only if it is still ours: process numbers are used again.
    group=$(<"$testbeds/$1/ticker.pid")
    [[ $(readlink "/proc/$group/exe" 2>/dev/null) == */ovlp-ticker* ]] && kill "$group" 2>/dev/null
  fi
  while read -r what where; do
    case $what in
      group)
        for group in "$where"/node* "$where"; do
          [[ -d $group ]] || continue
          remove_group "$group" || return 1
        done ;;
      namespace) ip netns delete "$where" || return 1 ;;
      folder)
        if [[ -s $where/huge_pages ]]; then
          (flock 9; echo $(($(<"$huge_pages") - $(<"$where/huge_pages"))) >"$huge_pages") 9>"$lock"
        fi
        rm -r -- "$where" || return 1 ;;
    esac
  done < <(leftovers "$1" | awk '{ print (($1 == "group") ? 0 : ($1 == "namespace") ? 1 : 2), $0 }' |
             sort -s -n | cut -d' ' -f2-)
}
