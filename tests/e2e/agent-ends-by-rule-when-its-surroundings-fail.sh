# A gateway that dies in the middle, a full disk, a run directory that cannot be
# written and a clock that jumps: one clear line each, an end by rule, and
# nothing that was recorded is lost: the run goes on when that is mended.
. tests/lib.sh
need jq
need python3
need "${CC:-cc}"
kf=$PWD/$BIN/kernelforge
cat >"$tmp/server.py" <<'EOF'
import os, sys, threading
from answer_server import serve
lock, left = threading.Lock(), [int(sys.argv[1])]
def answer(request, body):
    with lock:
        left[0] -= 1
        if left[0] < 0:
            os._exit(1)
    return 200, {}, {"choices": [{"message": {"content": "an apology"}, "finish_reason": "stop"}]}
serve(answer)
EOF
own_ports
export PORT=$port
serving() { # HOW-MANY-ANSWERS
	rm -f "$tmp/server.ready"
	serve_answers server "$tmp/server.py" "$1"
	url=http://$(address server server)
}
run() { # OUT ARGS...
	out=$1
	shift
	"$kf" run --ops relu,abs --no-naive --jobs 1 --model m --seed 5 --out "$out" --base-url "$url" "$@"
}
print() { jq -r .fingerprint "$1/run.json"; }
tries() { jq -s 'map(select(.state == "generated")) | length' "$1/ledger.jsonl"; }

serving 99
exits 1 run "$tmp/whole"

# The clock of the wall leaps a day, there and back, at each look.
cat >"$tmp/leap.c" <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
#define DAY 86400
int clock_gettime(clockid_t which, struct timespec *ret)
{
	static int day;
	int (*real)(clockid_t, struct timespec *);
	int rc;

	*(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
	rc = real(which, ret);
	if (which == CLOCK_REALTIME)
		ret->tv_sec += (day = !day) ? DAY : -DAY;
	return rc;
}
time_t time(time_t *ret)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (ret)
		*ret = now.tv_sec;
	return now.tv_sec;
}
EOF
"${CC:-cc}" -shared -fPIC -o "$tmp/leap.so" "$tmp/leap.c" -ldl || fail "the clock builds"
exits 1 env LD_PRELOAD="$tmp/leap.so" "$kf" run --ops relu,abs --no-naive --jobs 1 --model m --seed 5 --out "$tmp/leaps" \
    --base-url "$url" --max-minutes 600 --answer-s 500
check "the run is the same" test "$(print "$tmp/leaps")" = "$(print "$tmp/whole")"
exits 0 "$kf" ledger check "$tmp/leaps"
# Too few descriptors are the machine's lack, at whatever step they are missed.
for n in 9 10 11 12 13 14 15; do
	code=0
	(ulimit -n $n && run "$tmp/few$n") >"$tmp/out" 2>"$tmp/err" || code=$?
	[ $code = 1 ] || check "of $n descriptors: exit 3 ($code)" test $code = 3
	[ $code = 1 ] || check "of $n descriptors: it is told" grep -q 'Too many open files' "$tmp/err"
	lacks "of $n descriptors: the gateway is there" -q unreachable "$tmp/err"
	lacks "of $n descriptors: no model is down" -rqs model_down "$tmp/few$n/ledger.jsonl" "$tmp/err"
done
stop server

# Four answers, and nobody is there any more.
serving 4
exits 3 run "$tmp/died"
check "one line says who ($(cat "$tmp/err"))" test "$(grep -c ' error run: ' "$tmp/err")" = 1
check "what came is there" test "$(tries "$tmp/died")" = 4
check "what goes on is named" grep -q -- '--resume' "$tmp/err"
exits 0 "$kf" ledger check "$tmp/died"
serving 99
exits 1 "$kf" run --resume --out "$tmp/died" --base-url "$url"
check "it went on" test "$(tries "$tmp/died")" = 6
check "to the same end" test "$(print "$tmp/died")" = "$(print "$tmp/whole")"

# In a file system of our own, where the machine lets us have one.
disk=$tmp/disk
mkdir "$disk"
inside() { # OPTIONS ARGS... of a run on it; what it left is in $disk.kept
	options=$1
	shift
	rm -rf "$disk.kept"
	unshare -rm sh -c 'disk=$1 && mount -t tmpfs -o "$2" none "$disk" && shift 2 || exit 99
	    rc=0; "$@" || rc=$?; [ ! -e "$disk/run" ] || cp -r "$disk/run" "$disk.kept"; exit $rc' sh "$disk" "$options" \
	    "$kf" run --ops relu,abs --no-naive --jobs 1 --model m --seed 5 --out "$disk/run" --base-url "$url" "$@"
}
unshare -rm mount -t tmpfs none "$disk" 2>/dev/null || exit 0
exits 3 inside ro,size=1m
check "one line ($(cat "$tmp/err"))" test "$(wc -l <"$tmp/err")" = 1
check "it says where and why" grep -q 'disk/run.*Read-only file system' "$tmp/err"
exits 3 inside size=32k
check "a full disk is said ($(cat "$tmp/err"))" grep -q 'No space left on device' "$tmp/err"
check "what was recorded is there" test "$(tries "$disk.kept")" -ge 1
exits 1 "$kf" run --resume --out "$disk.kept" --base-url "$url"
exits 0 "$kf" ledger check "$disk.kept"
check "and on a larger disk the run goes on to the same end" test "$(print "$disk.kept")" = "$(print "$tmp/whole")"
# A compiler that cannot write says that the text is wrong: no verdict of a kernel.
for size in 4 36 40 44 48 52 56; do
	exits 3 unshare -rm sh -c 'mount -t tmpfs -o size=$1k none "$2" && TMPDIR=$2 exec "$3" verify relu "$4"' sh "$size" "$disk" \
	    "$kf" scenarios/full_suite/answers/deepseek-coder/relu.cl
done
