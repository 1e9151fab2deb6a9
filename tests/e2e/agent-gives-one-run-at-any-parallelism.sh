# Operators that are forged side by side give the run that they give one after
# the other: the same fingerprint and chaos run hash at any number of workers,
# under chaos, and after a kill in the middle that is resumed with another number;
# and Ctrl-C ends all of them.
. tests/lib.sh
need jq
need "${CC:-cc}"
kf=$PWD/$BIN/kernelforge
folder=$PWD/scenarios/full_suite
jq --arg answers "$folder/answers/" '.agent.ops = ["rope", "silu", "abs", "tanh"]
    | .proxies.models.answers = $answers | del(.expect)' "$folder/scenario.json" >"$tmp/four.json"
# For the kills: what costs least to judge.  That a baseline outlives one is
# agent-survives-a-kill-after-every-record.sh's.
jq '.rules = [] | .name = "quiet" | .agent.ops = ["silu", "abs", "tanh"] | .agent.naive = false' "$tmp/four.json" >"$tmp/quiet.json"

# One run through all three programs.
run_four() { # JOBS
	out=$tmp/four$1
	mkdir "$out"
	start "chaos$1" "$BIN"/kf-chaos --scenario "$tmp/four.json" --admin 127.0.0.1:0 \
	    --log "$out/chaos.jsonl" --upstream "gateway=@$tmp/gateway$1.ready"
	models=http://$(address "chaos$1" models)
	KF_MODELS_URL=$models start "gateway$1" "$BIN"/kf-gateway --config "$folder/gateway.yaml" \
	    --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$out/gateway.jsonl"
	front=http://$(address "chaos$1" front)
	exits 1 "$kf" run --scenario "$tmp/four.json" --out "$out" --jobs "$1" --gateway "$front"
	stop "gateway$1"
	stop "chaos$1"
	exits 0 "$kf" report "$out"
	exits 0 "$kf" ledger check "$out"
	jq -r '.fingerprint + " " + .chaos_run_hash' "$out/run.json" >>"$tmp/prints"
	jq -c '[.naive.silent_wrong, .kernelforge.claimed, .kernelforge.correct]' "$out/scorecard.json" >>"$tmp/cards"
}
run_four 1
run_four 3
check "one fingerprint and one hash" test "$(sort -u "$tmp/prints" | wc -l)" = 1
check "they are there" grep -Eq '^[0-9a-f]{64} [0-9a-f]{64}$' "$tmp/prints"
check "three claims, all right" test "$(sort -u "$tmp/cards" | cut -d, -f2-)" = "3,3]"
order() { jq -r 'select(.state == "attempted" and .iteration == 1).op' "$1/ledger.jsonl" | sort | tr '\n' ' '; }
check "every operator was tried" test "$(order "$tmp/four3")" = "abs rope silu tanh "

# Killed after some record, with three at work, and resumed with two.
cat >"$tmp/kill.c" <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
int fdatasync(int fd);
int fdatasync(int fd)
{
	static atomic_int seen;
	int (*real)(int);
	const char *at = getenv("KILL_AT");
	int rc;

	*(void **)&real = dlsym(RTLD_NEXT, "fdatasync");
	rc = real(fd);
	if (at && atomic_fetch_add(&seen, 1) + 1 == atoi(at))
		raise(SIGKILL);
	return rc;
}
EOF
"${CC:-cc}" -shared -fPIC -o "$tmp/kill.so" "$tmp/kill.c" -ldl || fail "the killer builds"
start quiet "$BIN"/kf-chaos --scenario "$tmp/quiet.json" --admin 127.0.0.1:0 --upstream gateway=127.0.0.1:1 --log "$tmp/quiet.jsonl"
url=http://$(address quiet models)
mkdir "$tmp/t"
export TMPDIR="$tmp/t"
set -- --gateway "$url" --model deepseek-v4-flash --escalation deepseek-coder
exits 1 "$kf" run --scenario "$tmp/quiet.json" --out "$tmp/whole" --jobs 1 "$@"
print=$(jq -r .fingerprint "$tmp/whole/run.json")
for at in 4 17; do
	exits 137 env LD_PRELOAD="$tmp/kill.so" KILL_AT=$at "$kf" run --scenario "$tmp/quiet.json" --out "$tmp/cut$at" --jobs 3 "$@"
	exits 1 "$kf" run --resume --out "$tmp/cut$at" --jobs 2 --gateway "$url"
	check "the same fingerprint after record $at" test "$print" = "$(jq -r .fingerprint "$tmp/cut$at/run.json")"
	exits 0 "$kf" ledger check "$tmp/cut$at"
	check "nothing is left of the kill at $at" test -z "$(ls -A "$TMPDIR")"
done

# Ctrl-C ends all workers at once, whatever they wait for.
jq '.rules = [{"id": "hang", "when": {"always": true}, "fault": {"type": "latency", "latency": 60000}}] | .name = "hangs"' \
    "$tmp/quiet.json" >"$tmp/hangs.json"
start hangs "$BIN"/kf-chaos --scenario "$tmp/hangs.json" --admin 127.0.0.1:0 --upstream gateway=127.0.0.1:1 --log "$tmp/hangs.jsonl"
"$kf" run --scenario "$tmp/hangs.json" --gateway "http://$(address hangs models)" --out "$tmp/stopped" --jobs 3 >"$tmp/stopped.out" 2>"$tmp/stopped.err" &
pid=$!
await_in "$tmp/stopped.err" sh -c "test \$(grep -c asking '$tmp/stopped.err') = 3"
kill -INT "$pid"
rc=0
wait "$pid" || rc=$?
check "exit 3" test "$rc" = 3
check "who stopped it is said" grep -q 'stopped by SIGINT' "$tmp/stopped.err"
exits 0 "$kf" ledger check "$tmp/stopped"

exits 2 "$kf" run --scenario "$tmp/quiet.json" --out "$tmp/no" --jobs 0 "$@"
exits 2 "$kf" run --scenario "$tmp/quiet.json" --out "$tmp/no" --jobs 2 --bench "$@"
check "the line says why" grep -q 'leave --jobs out' "$tmp/err"
check "nothing was made" test ! -e "$tmp/no"
