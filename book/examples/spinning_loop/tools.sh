#!/bin/sh
# The tools of chapter 6, each at work on distilled.py:
#
#   sh tools.sh strace
#
# PYTHON= names the interpreter. What they printed for the chapter lies in captures/,
# each below the command that made it. To look into another process, strace, py-spy and
# gdb need the right to trace it; a container often refuses that.
set -eu
cd "$(dirname "$0")"
PYTHON="${PYTHON:-python3}"

# The program starts its work when it reads a line.
distilled() { echo go | $BEFORE "$PYTHON" distilled.py "$@"; }
BEFORE=

# Run a tool on the program while it works; PID stands for its number.
attached() {
    (sleep 1; echo go) | "$PYTHON" distilled.py hops --loops 3 --seconds 6 >/dev/null &
    pid=$!
    sleep 2
    "$@" "$pid" && wait "$pid"
}

need() { command -v "$1" >/dev/null || { echo "$1 is not installed" >&2; exit 3; }; }

case "${1:-}" in
strace)
    need strace
    attached strace -f -c -p
    ;;
strace_one)  # of one call, which then takes longer, and of every call
    need strace
    for BEFORE in "" "strace -f" "strace -f --seccomp-bpf -e trace=epoll_wait" \
        "strace -f --seccomp-bpf -e trace=futex"; do
        echo "${BEFORE:-nothing}:"
        distilled hops --loops 8 2>/dev/null
    done
    ;;
taskset)
    need taskset
    for loops in 1 2 4; do
        for BEFORE in "" "taskset -c 0"; do distilled hops --loops "$loops"; done
    done
    ;;
faulthandler) distilled dump --loops 3 ;;
frames) distilled frames --loops 3 ;;
pyspy_dump)
    need py-spy
    attached py-spy dump --pid
    ;;
pyspy_record)  # who runs; with --gil who holds the lock
    need py-spy
    for option in "" --gil --idle; do
        attached py-spy record $option --threads --format raw --rate 200 \
            --duration 3 --output /dev/stdout --pid
    done
    ;;
pyspy_top)
    need py-spy
    attached timeout 4 py-spy top --pid
    ;;
gdb)  # the script comes with a Python built from source, or with Debian's python3-dbg
    need gdb
    version=$("$PYTHON" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
    prefix=$("$PYTHON" -c 'import sys; print(sys.base_prefix)')
    for script in "$prefix/bin/$version-gdb.py" \
        "/usr/share/gdb/auto-load/usr/bin/$version-gdb.py"; do
        [ -f "$script" ] && break
    done
    attached gdb -q -batch -nx -ex "source $script" -ex "thread apply all py-bt" -p
    ;;
getrusage)
    for loops in 2 4; do distilled hops --loops "$loops"; done
    BEFORE="taskset -c 0"
    distilled hops --loops 2
    ;;
time)
    BEFORE="/usr/bin/time -v"
    distilled hops --loops 3
    ;;
debug_mode) PYTHONASYNCIODEBUG=1 distilled debug --loops 3 ;;
lag_monitor) for loops in 1 2; do distilled lag --loops "$loops"; done ;;
*)
    echo "usage: sh tools.sh TOOL, one of: strace strace_one taskset faulthandler frames" \
        "pyspy_dump pyspy_record pyspy_top gdb getrusage time debug_mode lag_monitor" >&2
    exit 2
    ;;
esac
