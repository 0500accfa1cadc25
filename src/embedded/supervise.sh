# Starts Postgres once its owner says so, and ends it when the owner is gone.
#
#   $1  folder to remove at the end, or empty
#   $2  second folder to remove at the end, or empty
#   $3  file that Postgres' output is appended to
#   $4… the command that starts Postgres
#
# Standard input is a pipe that the owner holds open: one line means "start", its end, for whatever reason the owner
# went away, means "stop". Standard output tells the owner "pid N" and "exit STATUS".
remove_first=$1 remove_second=$2 log=$3
shift 3
exec 3<&0 </dev/null
pid=
trap 'test -n "$pid" && kill -INT "$pid" 2>/dev/null' INT TERM HUP

if read -r order <&3; then
    "$@" </dev/null >>"$log" 2>&1 3<&- &
    pid=$!
    # A reader of its own, since the shell below waits for Postgres. SIGINT is Postgres' fast shutdown; what has not
    # ended in half a minute is ended the hard way, and recovers from its write-ahead log at the next start.
    {
        read -r order <&3
        seconds=0
        # Again every second: a Postgres that is only just starting ignores the first one.
        while kill -INT "$pid" 2>/dev/null; do
            sleep 1
            seconds=$((seconds + 1))
            if [ "$seconds" -eq 30 ]; then kill -QUIT "$pid" 2>/dev/null; fi
            if [ "$seconds" -eq 40 ]; then kill -KILL "$pid" 2>/dev/null; fi
        done
    } >/dev/null 2>&1 &
    watcher=$!
    # From here on a vanished owner must not end this shell before it has cleaned up.
    trap '' PIPE
    echo "pid $pid"
    wait "$pid"
    status=$?
    # A trapped signal interrupts the wait.
    while kill -0 "$pid" 2>/dev/null; do
        wait "$pid"
        status=$?
    done
    pid=
    echo "exit $status" 2>/dev/null
    kill "$watcher" 2>/dev/null
    # Postgres may have ended by itself: its log stays readable for as long as the owner is there.
    while read -r order <&3; do :; done
fi

for folder in "$remove_first" "$remove_second"; do
    tries=0
    while [ -n "$folder" ] && [ -e "$folder" ] && [ "$tries" -lt 10 ]; do
        rm -rf -- "$folder" 2>/dev/null
        # Whoever still writes there (an initdb that lost its owner) ends soon.
        if [ -e "$folder" ]; then sleep 1; fi
        tries=$((tries + 1))
    done
done
