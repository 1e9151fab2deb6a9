#!/bin/sh
# The demonstration: chaos proxy, gateway and agent together on one scenario.
# Installs what is missing, builds, runs, prints the scorecard, and leaves a
# run directory.  Needs no network beyond Debian's packages, no key, no GPU.
set -eu

usage() {
	cat <<'EOF'
usage: ./run_demo.sh [options]

Starts kf-chaos and kf-gateway on free ports, runs the naive baseline and
KernelForge through them, stops everything, prints the scorecard.

  --scenario NAME   a folder of scenarios/ (default rope_demo)
  --out DIR         the run directory (default runs/SCENARIO-DATE-PID)
  --seed S          replaces the scenario's seed
  --repeat N        runs N times, compares fingerprints and run hashes;
                    exit 1 when they differ
  --bench           times every verified kernel against the plain one
  --help            this text

exit: 0 what the scenario expects holds, 1 it does not, 2 usage,
3 the machine lacks something
EOF
}

fail() { # CODE TEXT
	echo "run_demo.sh: $2" >&2
	exit "$1"
}

scenario=rope_demo out= seed= repeat=1 bench=
while [ $# -gt 0 ]; do
	case $1 in
	--help) usage; exit 0 ;;
	--bench) bench=--bench; shift ;;
	--scenario | --out | --seed | --repeat)
		[ $# -ge 2 ] || fail 2 "$1 needs a value"
		eval "${1#--}=\$2"
		shift 2 ;;
	*) fail 2 "found \"$1\", expected an option (see --help)" ;;
	esac
done
case $repeat in
'' | *[!0-9]* | 0) fail 2 "--repeat: found \"$repeat\", expected a number from 1" ;;
esac
case $out in
'' | /*) ;;
*) out=$PWD/$out ;;
esac

cd "$(dirname "$0")"
file=scenarios/$scenario/scenario.json
[ -f "$file" ] || fail 2 "$file: no such scenario; there are: $(ls scenarios | grep -v '\.' | tr '\n' ' ')"
: "${out:=$PWD/runs/$scenario-$(date +%Y%m%d-%H%M%S)-$$}"
BIN=${BIN:-build}
if [ "$BIN" = build ]; then
	./setup.sh run
	make -s -j2 all >&2
fi

chaos_pid= gateway_pid= agent_pid= watch_pids= tmp=
# Stops what runs, whatever way we leave; when we are killed outright, what we
# started ends with us (--with-parent).
stop() {
	for pid in $watch_pids $agent_pid $gateway_pid $chaos_pid; do
		kill -TERM "$pid" 2>/dev/null || true
	done
	for pid in $watch_pids $agent_pid $gateway_pid $chaos_pid; do
		wait "$pid" 2>/dev/null || true
	done
	[ -z "$tmp" ] || rm -rf "$tmp"
	chaos_pid= gateway_pid= agent_pid= watch_pids= tmp=
}
trap stop EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Waits for the ready line of NAME, process PID, output OUT, errors ERR.
await_ready() { # NAME PID OUT ERR
	if ! timeout 20 tail -n +1 -f --pid="$2" "$3" 2>/dev/null |
	    grep -q -m 1 '^ready '; then
		cat "$4" >&2
		rc=0
		kill -TERM "$2" 2>/dev/null || true
		wait "$2" || rc=$?
		fail "$([ "$rc" = 2 ] && echo 2 || echo 3)" "$1 did not start"
	fi
}

# The agent need not try on for a minute when NAME, process PID, is dead.
watch_over() { # NAME PID
	{
		tail -f --pid="$2" /dev/null
		echo "$1 $2" >>"$tmp/died"
		kill -TERM "$agent_pid"
	} 2>/dev/null &
	watch_pids="$watch_pids $!"
}

# Who died, how, and what it said last.
tell_who_died() {
	read -r name pid <"$tmp/died"
	died_rc=0
	wait "$pid" || died_rc=$?
	tail -n 5 "$dir/${name#kf-}.log" >&2
	[ "$died_rc" -le 128 ] || died_rc="$died_rc, signal $((died_rc - 128))"
	fail 3 "$name died in the middle of the run (exit $died_rc)"
}

address_of() { # NAME READYFILE
	tr ' ' '\n' <"$2" | sed -n "s/^$1=//p"
}

gateway_config() {
	if [ -f "scenarios/$scenario/gateway.yaml" ]; then
		echo "scenarios/$scenario/gateway.yaml"
	else
		echo scenarios/gateway.yaml
	fi
}

run_once() { # DIR
	dir=$1
	[ ! -e "$dir/ledger.jsonl" ] || fail 2 "$dir: holds a run already"
	mkdir -p "$dir" || fail 2 "$dir: cannot be made"
	tmp=$(mktemp -d)

	: >"$tmp/chaos.out" >"$tmp/gateway.out"
	"$BIN"/kf-chaos --with-parent $$ --scenario "$file" --admin 127.0.0.1:0 ${seed:+--seed "$seed"} \
	    --log "$dir/chaos.jsonl" --ready-file "$tmp/chaos" \
	    --upstream "gateway=@$tmp/gateway" >"$tmp/chaos.out" 2>"$dir/chaos.log" &
	chaos_pid=$!
	await_ready kf-chaos "$chaos_pid" "$tmp/chaos.out" "$dir/chaos.log"

	KF_MODELS_URL=http://$(address_of models "$tmp/chaos") \
	    "$BIN"/kf-gateway --with-parent $$ --config "$(gateway_config)" --listen 127.0.0.1:0 \
	    --admin 127.0.0.1:0 --log "$dir/gateway.jsonl" \
	    --ready-file "$tmp/gateway" >"$tmp/gateway.out" 2>"$dir/gateway.log" &
	gateway_pid=$!
	await_ready kf-gateway "$gateway_pid" "$tmp/gateway.out" "$dir/gateway.log"

	rc=0
	"$BIN"/kernelforge run --with-parent $$ --scenario "$file" --out "$dir" ${seed:+--seed "$seed"} $bench \
	    --gateway "http://$(address_of front "$tmp/chaos")" &
	agent_pid=$!
	watch_over kf-gateway "$gateway_pid"
	watch_over kf-chaos "$chaos_pid"
	wait "$agent_pid" || rc=$?
	agent_pid=
	[ ! -s "$tmp/died" ] || tell_who_died
	kill $watch_pids 2>/dev/null || true
	watch_pids=

	kill -TERM "$gateway_pid" 2>/dev/null || true
	wait "$gateway_pid" 2>/dev/null || true
	gateway_pid=
	kill -TERM "$chaos_pid" 2>/dev/null || true
	chaos_rc=0
	wait "$chaos_pid" 2>/dev/null || chaos_rc=$?
	chaos_pid=
	cp "$tmp/chaos.out" "$dir/chaos.out"
	if [ "$chaos_rc" != 0 ]; then
		cat "$dir/chaos.log" >&2
		[ "$rc" != 0 ] || rc=$chaos_rc
	fi
	stop
}

# One string value of run.json.
run_value() { # KEY DIR
	sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "$2/run.json" | head -n 1
}

worst=0
if [ "$repeat" = 1 ]; then
	run_once "$out"
	"$BIN"/kernelforge report "$out" >/dev/null || worst=$?
	[ "$rc" = 0 ] || worst=$rc
	printf '\nchaos run hash  %s\nfingerprint     %s\nrun directory   %s\nreport          %s\n' \
	    "$(run_value chaos_run_hash "$out")" "$(run_value fingerprint "$out")" \
	    "$out" "$out/report.html"
	exit "$worst"
fi

hashes=
i=1
while [ "$i" -le "$repeat" ]; do
	run_once "$out/$i" >"$out.log" 2>&1 || { cat "$out.log" >&2; exit 3; }
	mv "$out.log" "$out/$i/agent.log"
	"$BIN"/kernelforge report "$out/$i" >/dev/null
	[ "$rc" = 0 ] || worst=$rc
	line="$(run_value fingerprint "$out/$i") $(run_value chaos_run_hash "$out/$i")"
	echo "run $i of $repeat: exit $rc  fingerprint ${line% *}  chaos run hash ${line#* }"
	hashes="$hashes$line
"
	i=$((i + 1))
done
if [ "$(printf %s "$hashes" | sort -u | wc -l)" = 1 ]; then
	echo "all $repeat runs are equal"
else
	echo "the runs differ" >&2
	worst=1
fi
exit "$worst"
