# For end-to-end scripts: `. tests/lib.sh` from the project's root.
#
#	tmp		a fresh folder, removed at the end
#	start NAME ...	runs a program in the background with a ready file;
#			its output goes to $tmp/NAME.out and $tmp/NAME.err
#	address NAME X	the HOST:PORT that NAME's ready line gives X
#	serve_answers NAME SCRIPT ARGS ...	starts a Python script that
#			answers by tests/answer_server.py, as "server"
#	own_ports	makes $port and the nine behind it this script's, below
#			those that the system lends to outgoing connections: for
#			a server that comes back to its port, and for a port at
#			which nobody may be
#	stop NAME	SIGTERM, and waits; its exit status is in $stopped
#	await_in FILE CMD ...	CMD is asked whenever FILE grows, until it
#			succeeds; fails after $AWAIT_S s, which pass on no
#			machine unless it never will
#	await CMD ...	the same for what no file tells: CMD is asked twenty
#			times a second, so that who waits leaves the processor
#			to who is waited for
#	demo_run DIR	a copy of rope_demo's run, as run_demo.sh makes it, for
#			who looks at a run; tests/run.sh has it made once
#	as_killed RUN CUT N	CUT is RUN as a kill behind line N of its ledger
#			would have left it
#	check WHAT CMD	runs CMD; a failure names WHAT and fails the script
#	lacks WHAT GREP-ARGS ...	fails when grep finds it, and when it
#			cannot look
#	need CMD	skips the script when a command is missing
#
# Whatever was started is stopped on every way out.
set -eu
BIN=${BIN:-build}
AWAIT_S=60
tmp=$(mktemp -d)
started=

fail() {
	echo "not true: $*" >&2
	for f in "$tmp"/*.err; do
		[ ! -s "$f" ] || { echo "-- ${f##*/}"; tail -n 20 "$f"; } >&2
	done
	exit 1
}

leave() {
	for name in $started; do
		kill -KILL "$(cat "$tmp/$name.pid")" 2>/dev/null || true
	done
	wait 2>/dev/null || true
	rm -rf "$tmp" ${port_lock:+"$port_lock"}
}
trap leave EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

await_in() { # FILE CMD...
	file=$1
	shift
	timeout $AWAIT_S tail -n +1 -F "$file" 2>/dev/null | {
		while read -r _; do
			! "$@" >/dev/null 2>&1 </dev/null || exit 0
		done
		exit 1
	} || fail "within $AWAIT_S s: $*"
}

await() {
	begun=$(date +%s)
	until "$@" >/dev/null 2>&1; do
		[ $(($(date +%s) - begun)) -le $AWAIT_S ] || fail "within $AWAIT_S s: $*"
		sleep 0.05
	done
}

demo_run() { # DIR
	shared=${SHARED_RUNS:-$tmp}/rope_demo
	(
		flock 9
		[ -e "$shared.made" ] || {
			rm -rf "$shared"
			./run_demo.sh --out "$shared" --pace off >"$shared.out" 2>&1 && : >"$shared.made"
		}
	) 9>"$shared.lock" || fail "the demo runs: $(tail -n 5 "$shared.out")"
	cp -a "$shared" "$1"
}

as_killed() { # RUN CUT LINES
	rm -rf "$2"
	cp -r "$1" "$2"
	head -n "$3" "$1/ledger.jsonl" >"$2/ledger.jsonl"
	python3 - "$2" <<'EOF'
import glob, json, os, sys
d = sys.argv[1]
lines = [json.loads(line) for line in open(d + "/ledger.jsonl")]
def is_there(op, n, state):
    return any((e.get("op"), e.get("iteration"), e.get("state")) == (op, n, state) for e in lines)
def write(name, value):
    open(name, "w").write(json.dumps(value, sort_keys=True, indent=2, ensure_ascii=False) + "\n")
run = json.load(open(d + "/run.json"))
run.update(exit=None, ended=None)
run.pop("anchors", None)
write(d + "/run.json", run)
for name in glob.glob(d + "/kernels/*/[0-9]*"):
    op, file = name.split("/")[-2:]
    n = int(file.split(".")[0])
    if not is_there(op, n, "generated"):
        os.remove(name)
    elif file.endswith(".json") and not is_there(op, n, "verified_correct"):
        record = json.load(open(name))
        if record.pop("audit", None):
            write(name, record)
EOF
}

start() { # NAME PROGRAM ARGS...
	name=$1
	shift
	: >"$tmp/$name.out"
	"$@" --ready-file "$tmp/$name.ready" >"$tmp/$name.out" 2>"$tmp/$name.err" &
	echo $! >"$tmp/$name.pid"
	started="$started $name"
	timeout $AWAIT_S tail -n +1 -f --pid=$! "$tmp/$name.out" 2>/dev/null |
	    grep -q -m 1 '^ready ' || fail "$name starts"
}

serve_answers() { # NAME SCRIPT ARGS...
	served=$1
	shift
	start "$served" env PYTHONPATH=tests PYTHONDONTWRITEBYTECODE=1 python3 "$@"
}

# An upstream that is paid: who asks it stands in $tmp/count.
serve_spender() { # NAME
	: >"$tmp/count"
	start "$1" node tests/clients/spender.mjs upstream "$tmp/count"
}

address() { # NAME WHAT
	tr ' ' '\n' <"$tmp/$1.ready" | sed -n "s/^$2=//p"
}

stop() { # NAME
	stopped=0
	kill -TERM "$(cat "$tmp/$1.pid")" 2>/dev/null || true
	wait "$(cat "$tmp/$1.pid")" || stopped=$?
}

# A port that the system chose is lent to somebody else as soon as it is free.
# The lock is held by this script's descriptor 8, and by whatever it starts.
own_ports() {
	slot=$(($$ % 1200))
	until take_ports $((20000 + slot * 10)); do slot=$(((slot + 1) % 1200)); done
	port_lock=$lock
}
take_ports() { # THE FIRST
	port=$1 lock=${TMPDIR:-/tmp}/kf-ports-$(id -u)-$1
	exec 8>"$lock"
	# Whoever held it before may have removed the file in between.
	flock -n 8 && [ "$lock" -ef /proc/$$/fd/8 ] || return 1
	for i in 0 1 2 3 4 5 6 7 8 9; do
		! grep -qi ":$(printf %04X $((port + i))) " /proc/net/tcp /proc/net/tcp6 2>/dev/null || return 1
	done
}

check() { # WHAT CMD...
	what=$1
	shift
	"$@" || fail "$what ($*)"
}

# lacks WHAT GREP-ARGS...: grep finds nothing, in files that are there.
lacks() {
	what=$1 found=0
	shift
	grep "$@" >/dev/null 2>&1 || found=$?
	[ "$found" = 1 ] || fail "$what (grep $* exits $found)"
}

# exits CODE CMD...: the command's exit status is CODE; output in $tmp/out, err.
exits() {
	want=$1
	shift
	got=0
	"$@" >"$tmp/out" 2>"$tmp/err" || got=$?
	[ "$got" = "$want" ] || fail "exit $want, got $got: $* ($(head -n 3 "$tmp/err"))"
}

need() {
	command -v "$1" >/dev/null 2>&1 || { echo "no $1 here"; exit 77; }
}

need_npm_clients() {
	[ -e tests/clients/node_modules/.complete ] || { echo "no npm clients here"; exit 77; }
}

# The protocol's own tools from npm, and a Node of at least 22.19 for them in
# $node22: the machine's, or the one that npm brings.
need_mcp_tools() {
	need_npm_clients
	[ -e tests/clients/node_modules/@modelcontextprotocol/inspector ] || { echo "npm clients without the inspector here"; exit 77; }
	for node22 in node tests/clients/node_modules/node-linux-*/bin/node; do
		! "$node22" -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 22 || (a == 22 && b >= 19) ? 0 : 1)' \
		    2>/dev/null || return 0
	done
	echo "no Node of 22.19 or newer here"
	exit 77
}
