# The demonstration: chaos proxy, gateway and agent together on one scenario,
# shown as it happens.  Installs what is missing, builds, runs, prints the
# scorecard, and leaves a run directory.  Needs no network beyond Debian's
# packages, no key, no GPU.
#
# The programs know nothing of the show: kf-view reads what they write into
# the run directory, and this script only starts, watches and stops.
set -eu

. "$(dirname "$0")/fit.sh"
usage() {
	fit <<'END'
usage: ./run_demo.sh [options]

Starts kf-chaos and kf-gateway on free ports, runs the naive baseline and
KernelForge through them, shows what happens, prints the scorecard.

  --scenario NAME   a folder of scenarios/ (default rope_demo)
  --out DIR         the run directory (default runs/SCENARIO-DATE-PID)
  --resume DIR      goes on with a run that was interrupted
  --seed S          replaces the scenario's seed
  --repeat N        runs N times, compares fingerprints and run hashes;
                    exit 1 when they differ
  --jobs N          operators at a time (default: as the machine is); the
                    same fingerprint at any number
  --bench           times every verified kernel against the plain one
  --pace PACE       slow, fast (default) or off: how long a beat stands on
                    a terminal; space goes on, q leaves the show
  --explain         a sentence a beat, for who sees it first
  --plain           lines instead of a screen, as in a pipe
  --open            opens the control room in the browser
  --help, --version

A scenario of more than six operators is shown as a board, a row an operator
(as lines in a pipe), and not beat by beat.

exit: 0 what the scenario expects holds, 1 it does not, 2 usage,
3 the machine lacks something

examples:
  ./run_demo.sh --pace slow --explain       for an audience
  ./run_demo.sh --repeat 5 --pace off       is every run the same?
  ./run_demo.sh --scenario full_suite       all 20 operators
END
}

fail() { # CODE TEXT
	echo "run_demo.sh: $2" >&2
	exit "$1"
}

scenario= out= resume= seed= jobs= repeat=1 bench= pace=fast explain= plain= open=
# A terminal that nothing can be drawn on gets lines.
case ${TERM:-dumb} in dumb) plain=--plain ;; esac
while [ $# -gt 0 ]; do
	case $1 in
	--help | -h) usage 2>/dev/null || fail 3 "could not be written whole"; exit 0 ;;
	--version)
		cd "$(dirname "$0")/.."
		sed -n 's/^#define KF_VERSION "\(.*\)"/run_demo.sh \1/p' base/opts.c 2>/dev/null ||
		    fail 3 "could not be written whole"
		exit 0 ;;
	--bench | --explain | --plain | --open) eval "${1#--}=$1"; shift ;;
	--scenario | --out | --resume | --seed | --repeat | --pace | --jobs)
		[ $# -ge 2 ] || fail 2 "$1 needs a value"
		eval "${1#--}=\$2"
		shift 2 ;;
	*) fail 2 "found \"$1\", expected an option (see --help)" ;;
	esac
done
case $repeat in
'' | *[!0-9]* | 0) fail 2 "--repeat: found \"$repeat\", expected a number from 1" ;;
esac
case $jobs in
*[!0-9]* | 0) fail 2 "--jobs: found \"$jobs\", expected a number from 1" ;;
esac
case $pace in
slow | fast | off) ;;
*) fail 2 "--pace: found \"$pace\", expected slow, fast or off" ;;
esac
absolute() { # PATH
	case $1 in
	'' | /*) echo "$1" ;;
	*) echo "$PWD/$1" ;;
	esac
}
out=$(absolute "$out") resume=$(absolute "$resume")

# One string value of run.json.
run_value() { # KEY DIR
	sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "$2/run.json" 2>/dev/null | head -n 1
}

cd "$(dirname "$0")/.."
if [ -n "$resume" ]; then
	[ -z "$out$scenario$seed" ] && [ "$repeat" = 1 ] ||
	    fail 2 "--resume keeps scenario, folder and seed of the run that it goes on with"
	[ -f "$resume/run.json" ] || fail 2 "$resume: holds no run (no run.json)"
	scenario=$(run_value scenario "$resume") seed=$(run_value seed "$resume") out=$resume
fi
: "${scenario:=rope_demo}"
file=scenarios/$scenario/scenario.json
[ -f "$file" ] || fail 2 "$file: no such scenario; there are: $(ls scenarios | grep -v '\.' | tr '\n' ' ')"
: "${out:=$PWD/runs/$scenario-$(date +%Y%m%d-%H%M%S)-$$}"

setup_log=
chaos_pid= gateway_pid= lab_pid= agent_pid= view_pid= watch_pids= tmp=
# Stops what runs, whatever way we leave; when we are killed outright, what we
# started ends with us (--with-parent).
stop() {
	for pid in $watch_pids $agent_pid $gateway_pid $chaos_pid $lab_pid $view_pid; do
		kill -TERM "$pid" 2>/dev/null || true
	done
	for pid in $watch_pids $agent_pid $gateway_pid $chaos_pid $lab_pid $view_pid; do
		wait "$pid" 2>/dev/null || true
	done
	[ -z "$tmp" ] || rm -rf "$tmp"
	chaos_pid= gateway_pid= lab_pid= agent_pid= view_pid= watch_pids= tmp=
}
trap 'stop; [ -z "$setup_log" ] || rm -f "$setup_log"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Runs CMD with its output in a log and one line of progress; shows the log
# only when CMD fails, and ends with its exit status then.
quietly() { # WHAT CMD...
	what=$1
	shift
	: >"$setup_log"
	live=
	[ ! -t 2 ] || [ -n "$plain" ] || live=yes
	[ -z "$live" ] || printf '\r\033[K%s ...' "$what" >&2
	# awk would read a pipe in blocks, and show nothing for a minute.
	{ rc=0; "$@" 2>&1 || rc=$?; echo "$rc" >"$setup_log.rc"; } | {
		n=0
		while IFS= read -r line; do
			printf '%s\n' "$line" >>"$setup_log"
			n=$((n + 1))
			if [ -n "$live" ]; then
				printf '\r\033[K%s: %d lines' "$what" "$n"
			elif [ $n = 1 ]; then
				echo "$what ..."
			fi
		done
		[ -z "$live" ] || printf '\r\033[K'
	} >&2
	rc=$(cat "$setup_log.rc")
	rm -f "$setup_log.rc"
	[ "$rc" = 0 ] || {
		tail -n 20 "$setup_log" >&2
		echo "run_demo.sh: $what: failed; all that was said is in $setup_log" >&2
		setup_log=
		exit "$rc"
	}
}

BIN=${BIN:-build}
LAB_S=${LAB_S:-30} # how long another lab may say nothing
if [ "$BIN" = build ]; then
	setup_log=$(mktemp)
	quietly "setting up: Debian packages" ./setup.sh run
	make -q all 2>/dev/null || quietly "building" make -j2 all
	rm -f "$setup_log"
	setup_log=
fi

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

# Another kernel lab, for a scenario that has a proxy before one.
has_lab() { grep -q '"upstream": *"lab"' "$file"; }
start_lab() {
	: >"$tmp/lab.out"
	"$BIN"/kernelforge mcp --with-parent $$ --http 127.0.0.1:0 --ready-file "$tmp/lab" \
	    >"$tmp/lab.out" 2>"$dir/lab.log" &
	lab_pid=$!
	await_ready "kernelforge mcp" "$lab_pid" "$tmp/lab.out" "$dir/lab.log"
}

start_proxies() {
	: >"$tmp/chaos.out" >"$tmp/gateway.out"
	! has_lab || start_lab
	"$BIN"/kf-chaos --with-parent $$ --scenario "$file" --admin 127.0.0.1:0 ${seed:+--seed "$seed"} \
	    --log "$dir/chaos.jsonl" --ready-file "$tmp/chaos" \
	    --upstream "gateway=@$tmp/gateway" ${lab_pid:+--upstream "lab=@$tmp/lab"} >"$tmp/chaos.out" 2>"$dir/chaos.log" &
	chaos_pid=$!
	await_ready kf-chaos "$chaos_pid" "$tmp/chaos.out" "$dir/chaos.log"

	KF_MODELS_URL=http://$(address_of models "$tmp/chaos") \
	    "$BIN"/kf-gateway --with-parent $$ --config "$(gateway_config)" --listen 127.0.0.1:0 \
	    --admin 127.0.0.1:0 --log "$dir/gateway.jsonl" \
	    --ready-file "$tmp/gateway" >"$tmp/gateway.out" 2>"$dir/gateway.log" &
	gateway_pid=$!
	await_ready kf-gateway "$gateway_pid" "$tmp/gateway.out" "$dir/gateway.log"
}

stop_proxies() {
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
}

# The control room shows the run from inside the chaos proxy.
tell_room() {
	room=http://$(address_of admin "$tmp/chaos")/ui
	echo "control room    $room"
	[ -n "$open" ] || return 0
	# Where no desktop takes the address over, xdg-open is the browser and
	# ends with it: the demo does not wait for that.
	{
		xdg-open "$room" >/dev/null 2>&1 ||
		    echo "run_demo.sh: no browser could be opened (xdg-open)" >&2
	} </dev/null >/dev/null &
}

# How many operators the scenario asks for.
count_operators() {
	tr -d '\n' <"$file" | sed 's/.*"ops": *\[\([^]]*\)\].*/\1/' | tr ',' '\n' | grep -c '"'
}

# Many operators side by side are no story: the agent's own display shows them.
start_board() {
	: >>"$dir/agent.log" # the agent may not have opened it yet
	tail -n +1 -f --pid="$agent_pid" "$dir/agent.log" &
	view_pid=$!
}

start_view() {
	set -- "$dir" --until "$tmp/done" --while $$ --pace "$pace" $explain $plain
	# A background process of a script has no terminal to read keys from.
	if [ -t 1 ] && [ -z "$plain" ] && (: </dev/tty) 2>/dev/null; then
		"$BIN"/kf-view "$@" </dev/tty &
	else
		"$BIN"/kf-view "$@" &
	fi
	view_pid=$!
}

# What the agent prints goes through a file, and has to fit the terminal.
[ ! -t 1 ] || COLUMNS=$(stty size <&1 2>/dev/null | sed -n 's/.* \([1-9][0-9]*\)$/\1/p')
[ -z "${COLUMNS-}" ] || export COLUMNS

run_once() { # DIR
	dir=$1
	[ -n "$resume" ] || [ ! -e "$dir/ledger.jsonl" ] || fail 2 "$dir: holds a run already (--resume goes on with one)"
	mkdir -p "$dir" || fail 2 "$dir: cannot be made"
	tmp=$(mktemp -d)
	start_proxies
	tell_room

	set -- --scenario "$file" --out "$dir" ${seed:+--seed "$seed"} $bench
	log=$dir/agent.log view=start_view
	if [ "$(count_operators)" -gt 6 ]; then
		view=start_board
		if [ -t 2 ] && [ -z "$plain" ]; then
			log=/dev/stderr view=:
		fi
	fi
	[ -z "$resume" ] || set -- --resume --out "$dir"
	rc=0
	: >>"$dir/agent.log" # who follows it may be quicker than who writes it
	[ -z "$lab_pid" ] || set -- "$@" --lab "mcp:http://$(address_of lab "$tmp/chaos")/mcp" --lab-s "$LAB_S"
	"$BIN"/kernelforge run --with-parent $$ "$@" ${jobs:+--jobs "$jobs"} \
	    --gateway "http://$(address_of front "$tmp/chaos")" >"$tmp/agent.out" 2>"$log" &
	agent_pid=$!
	$view
	watch_over kf-gateway "$gateway_pid"
	watch_over kf-chaos "$chaos_pid"
	wait "$agent_pid" || rc=$?
	agent_pid=
	[ ! -s "$tmp/died" ] || tell_who_died
	stop_proxies
	[ "$rc" = 0 ] || [ -s "$tmp/agent.out" ] || [ "$view" != start_view ] || tail -n 5 "$dir/agent.log" >&2
	"$BIN"/kernelforge report "$dir" >/dev/null || [ "$rc" != 0 ] || rc=1
	: >"$tmp/done"
	[ -z "$view_pid" ] || wait "$view_pid" || true
	view_pid=
	cat "$tmp/agent.out"
	stop
}

if [ "$repeat" = 1 ]; then
	run_once "$out"
	printf '\nchaos run hash  %s\nfingerprint     %s\nrun directory   %s\nreport          %s\n' \
	    "$(run_value chaos_run_hash "$out")" "$(run_value fingerprint "$out")" \
	    "$out" "$out/report.html"
	exit "$rc"
fi

worst=0 hashes= i=1
while [ "$i" -le "$repeat" ]; do
	run_once "$out/$i"
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
