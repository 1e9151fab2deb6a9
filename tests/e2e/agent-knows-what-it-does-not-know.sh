# What a claim was worth is measured, and has three states in real runs: proved
# wrong, proved right, and not known, which is said and exits 3 (or 1, where a
# record is lost). A kernel that hangs or crashes on a holdout is loud, not
# silently wrong.
. tests/lib.sh
need jq
need "${CC:-cc}"
kf=$PWD/$BIN/kernelforge
answers=$tmp/answers
mkdir "$answers" "$tmp/t"
cp tests/data/agent/resume/*.cl "$answers"
for op in relu abs exp; do
	cp kernels/plain/$op.cl "$answers/$op.cl"
	cp kernels/plain/$op.cl "$answers/$op.1.cl"
done
# Both pass the smoke test, which has two rows.
sed -i 's/^	size_t r = .*/	volatile uint more = rows > 5000;\
	while (more)\
		;\
&/' "$answers/relu.1.cl"
sed -i 's/^	size_t r = .*/	if (rows > 5000)\
		*(volatile __global int *)0 = 1;\
&/' "$answers/abs.1.cl"
scenario() { # OPS NAIVE
	cat >"$tmp/scenario.json" <<EOF
{"chaos": 1, "name": "worth", "seed": "5",
 "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "script", "answers": "$answers/"}},
 "agent": {"ops": [$1], "profile": "demo", "deadline_ms": 1200, "naive": $2}}
EOF
}
side() { # RUN SIDE: silent_wrong, correct, loud, unknown of what is claimed
	jq -r ".$2 | \"\(.claimed): \(.silent_wrong) \(.correct) \(.loud) \(.unknown)\"" "$1/scorecard.json"
}

# The baseline claims all four.
scenario '"rope", "relu", "abs", "exp"' true
start chaos "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
url=http://$(address chaos models)
exits 0 "$kf" run --scenario "$tmp/scenario.json" --gateway "$url" --out "$tmp/all"
check "one of four claims is silently wrong, one right, two are loud" test "$(side "$tmp/all" naive)" = "4: 1 1 2 0"
truth() { jq -r --arg op "$1" '.ops[] | select(.op == $op) | "\(.naive_truth) \(.naive_class)"' "$tmp/all/scorecard.json"; }
check "wrong: rope ($(truth rope))" test "$(truth rope)" = "wrong wrong"
check "loud: relu hangs ($(truth relu))" test "$(truth relu)" = "loud timeout"
check "loud: abs crashes ($(truth abs))" test "$(truth abs)" = "loud crash"
check "right: exp ($(truth exp))" test "$(truth exp)" = "right "
check "of KernelForge's own all are right" test "$(side "$tmp/all" kernelforge)" = "4: 0 4 0 0"

# The lab fails beside a kernel that is right, between the claim and its audit:
# the process is stopped when that line is on the disk, and its folder removed.
cat >"$tmp/stop.c" <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
int fdatasync(int fd);
int fdatasync(int fd)
{
	static int seen;
	int (*real)(int);
	int rc;

	*(void **)&real = dlsym(RTLD_NEXT, "fdatasync");
	rc = real(fd);
	if (++seen == atoi(getenv("STOP_AT")))
		raise(SIGSTOP);
	return rc;
}
EOF
"${CC:-cc}" -shared -fPIC -o "$tmp/stop.so" "$tmp/stop.c" -ldl || fail "the stopper builds"
scenario '"exp"' false
TMPDIR=$tmp/t LD_PRELOAD=$tmp/stop.so STOP_AT=5 "$kf" run --scenario "$tmp/scenario.json" --gateway "$url" --out "$tmp/lost" >"$tmp/lost.out" 2>"$tmp/lost.err" &
pid=$!
is_stopped() { grep -q ' T ' "/proc/$pid/stat"; }
n=0
until is_stopped || [ $((n += 1)) -gt 600 ]; do sleep 0.1; done
check "the claim is the last line" grep -q '"state":"verified_correct"' "$tmp/lost/ledger.jsonl"
until rm -rf "$tmp/t" 2>/dev/null; do :; done # the lab's processes may write there
kill -CONT "$pid"
rc=0
wait "$pid" || rc=$?
check "exit 3, found $rc" test "$rc" = 3
check "it says what failed" grep -q 'the lab cannot judge on this machine' "$tmp/lost.err"
check "the claim stands, and what it is worth is not known" test "$(side "$tmp/lost" kernelforge)" = "1: 0 0 0 1"
check "the summary does not call it wrong" sh -c "! grep -qi 'silently wrong' $tmp/lost/summary.txt"
exits 0 "$kf" run --resume --gateway "$url" --out "$tmp/lost"
check "measured later, it is right" test "$(side "$tmp/lost" kernelforge)" = "1: 0 1 0 0"
exits 0 "$kf" ledger check "$tmp/lost"

# A record that is lost: not known, and said.
iteration=$(jq -r 'select(.state == "verified_correct" and .op == "rope") | .iteration' "$tmp/all/ledger.jsonl")
rm "$tmp/all/kernels/rope/$iteration.json"
exits 1 "$kf" report "$tmp/all"
check "it says which" grep -q "kernels/rope/$iteration.json: gone" "$tmp/err"
check "one is not known, none silently wrong" test "$(side "$tmp/all" kernelforge)" = "4: 0 3 0 1"
