# A run that is killed (SIGKILL) after any record of its journals is resumed to
# the same fingerprint, with no call made twice, a ledger that holds and nothing
# left over; docs/resume.md has the table that this test makes.
. tests/lib.sh
need jq
need "${CC:-cc}"
kf=$PWD/$BIN/kernelforge
cat >"$tmp/scenario.json" <<EOF
{"chaos": 1, "name": "kills", "seed": "5",
 "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "script", "answers": "$PWD/tests/data/agent/kills/"}},
 "agent": {"ops": ["relu"], "profile": "demo", "deadline_ms": 1200}}
EOF
# Every record is on the disk (fdatasync) before the run goes on: the process
# dies there, at the Nth.
cat >"$tmp/kill.c" <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
int fdatasync(int fd);
int fdatasync(int fd)
{
	static int seen;
	int (*real)(int);
	const char *at = getenv("KILL_AT");
	int rc;

	*(void **)&real = dlsym(RTLD_NEXT, "fdatasync");
	rc = real(fd);
	if (at && ++seen == atoi(at))
		raise(SIGKILL);
	return rc;
}
EOF
"${CC:-cc}" -shared -fPIC -o "$tmp/kill.so" "$tmp/kill.c" -ldl || fail "the killer builds"
start chaos "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
url=http://$(address chaos models)
mkdir "$tmp/t"
export TMPDIR="$tmp/t"

calls() { grep -c '"name":"model.attempt"' "$1/trace.jsonl" || true; }
records() { cat "$1/naive.jsonl" "$1/ledger.jsonl" 2>/dev/null | wc -l; }
last() { # what the newest record says
	if [ "$(wc -l <"$1/ledger.jsonl")" = 0 ]; then
		tail -n 1 "$1/naive.jsonl" | jq -r 'if .closed then "closed" else "naive.jsonl: " + .op end'
	elif tail -n 1 "$1/naive.jsonl" | grep -q '"closed"'; then
		echo "naive.jsonl: closed"
	else
		tail -n 1 "$1/ledger.jsonl" | jq -r 'if .closed then "ledger.jsonl: closed" else "ledger.jsonl: \(.op) \(.iteration) \(.state)" end'
	fi
}
exits 0 "$kf" run --scenario "$tmp/scenario.json" --gateway "$url" --out "$tmp/whole"
print=$(jq -r .fingerprint "$tmp/whole/run.json")
all=$(calls "$tmp/whole")
total=$(records "$tmp/whole")
check "there is something to kill" test "$total" -ge 12

# One run, killed after its first record, then resumed and killed after the next
# one, and so on; a copy of each is resumed to its end.
kill_at_next() { # ARGS...
	exits 137 env LD_PRELOAD="$tmp/kill.so" KILL_AT=1 "$kf" run --gateway "$url" --out "$tmp/cut" "$@"
}
kill_at_next --scenario "$tmp/scenario.json"
n=1
while :; do
	out=$tmp/end$n
	check "it was killed after record $n" test "$(records "$tmp/cut")" = "$n"
	cp -r "$tmp/cut" "$out"
	for claim in $(jq -r 'select(.state == "verified_correct") | "\(.op)/\(.iteration)"' "$out/ledger.jsonl"); do
		check "a claim's record has its verdict after record $n" \
		    test "$(jq -r .judged.verdict "$out/kernels/$claim.json")" = verified_correct
	done
	made=$(calls "$out")
	row="| $n | $(last "$out") | $made | $((all - made)) | same | holds | nothing |"
	exits 0 "$kf" run --resume --gateway "$url" --out "$out"
	check "the same fingerprint after record $n" test "$print" = "$(jq -r .fingerprint "$out/run.json")"
	check "no call is repeated after record $n" test "$(calls "$out")" = "$all"
	exits 0 "$kf" ledger check "$out"
	check "nothing is left of record $n" test -z "$(ls -A "$TMPDIR")"
	check "no neighbour is left of record $n" test -z "$(find "$out" -name '*.new-*')"
	echo "$row"
	check "docs/resume.md has the row: $row" grep -qxF "$row" docs/resume.md
	[ "$n" -lt "$total" ] || break
	kill_at_next --resume
	n=$((n + 1))
done
rows=$(grep -c '^| [0-9]' docs/resume.md)
check "docs/resume.md has no row more" test "$rows" = "$total"
