# Twice the run is twice the work for kf-view and no more: instructions are
# counted, not time, of every way it shows a run.
. tests/lib.sh
need valgrind
case $BIN in *address*) echo "valgrind runs no program with ASan"; exit 77 ;; esac

# N operators, each asked by both agents, with a fault, a decision and a proof.
make_run() { # N
	mkdir "$tmp/$1"
	for kind in trace chaos gateway ledger naive; do
		awk -v n="$1" -v kind=$kind '
		function span(name, role, op, status) {
			printf "{\"name\":\"%s\",\"status\":\"%s\",\"attributes\":{\"role\":\"%s\",\"op\":\"%s\",\"iteration\":1}}\n", name, status, role, op
		}
		BEGIN { for (i = 1; i <= n; i++) {
			op = "op" i
			if (kind == "trace") {
				span("model.attempt", "naive", op, "good")
				printf "{\"name\":\"naive\",\"attributes\":{\"op\":\"%s\"}}\n", op
				span("model.attempt", "kernelforge", op, "good")
				span("tool.lab", "kernelforge", op, "verified_correct")
			} else if (kind == "chaos")
				printf "{\"key\":\"kernelforge/%s/1\",\"result\":\"fired\",\"fault\":\"http_error\",\"status\":503,\"rule\":\"r\"}\n", op
			else if (kind == "gateway")
				printf "{\"role\":\"kernelforge\",\"op\":\"%s\",\"iteration\":\"1\",\"attempts\":[{\"target\":\"t\",\"status\":503},{\"target\":\"t\",\"status\":200}]}\n", op
			else if (kind == "ledger")
				printf "{\"op\":\"%s\",\"iteration\":1,\"state\":\"verified_correct\"}\n", op
			else
				printf "{\"op\":\"%s\",\"claimed\":true,\"correct\":true}\n", op
		} }' >"$tmp/$1/$kind.jsonl"
	done
}

instructions() { # N HOW...
	n=$1
	shift
	valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
	    "$BIN"/kf-view "$tmp/$n" "$@" --width 40 2>&1 >/dev/null |
	    sed -n 's/.*I *refs: *//p' | tr -d ,
}

make_run 100
make_run 200
for how in "--cast /dev/null --height 10" "--svg /dev/null --height 10" "--beats /dev/null" "--plain"; do
	one=$(instructions 100 $how)
	two=$(instructions 200 $how)
	[ "${one:-0}" -gt 1000000 ] || fail "instructions are counted: \"$one\" ($how)"
	[ "$two" -lt $((one * 22 / 10)) ] || fail "$two instructions for twice the run, $one for the one ($how)"
done
