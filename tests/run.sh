#!/bin/sh
# Runs every group of the unit programs and every end-to-end script, or those
# whose name holds one of the words given ("unit-lab zygote" is such a name), and
# ends with "N passed, N failed, N skipped".  BIN is the build folder.  A script
# passes with 0 and skips with 77.
#
# JOBS of them run beside each other, two a core if nobody says, but no more
# than four: each has its own folder and ports, and most of them wait most of
# the time.  What one says comes out in one piece, when it ends.  The long ones
# begin first, as tests/longest lists them, so that none is alone at the end.
# Who only looks at a run of the demo gets a copy of one (lib.sh, demo_run).
set -u
BIN=${BIN:-build}
# For one of them, which by then hangs; the longest takes a minute of a core.
PATIENCE_S=${PATIENCE_S:-1200}
export BIN PATIENCE_S

say() { # as one piece, beside others
	flock "$said" cat
}

count() { # PASSED FAILED SKIPPED
	echo "$@" | flock "$said" tee -a "$said" >/dev/null
}

ended() { # STATUS
	case $1 in
	124 | 137) echo "not within $PATIENCE_S s" ;;
	*) echo "exit $1" ;;
	esac
}

# A log's end, and before it what is not true, which may stand far above.
shorten() {
	[ "$(wc -l <"$log")" -le 40 ] || grep '^not true' "$log"
	tail -n 40 "$log"
}

# A group's exit status tells too little: its runner's last line says it all.
run_group() { # PROGRAM GROUP
	name="${1##*/} $2"
	begin=$(date +%s)
	timeout -k 5 "$PATIENCE_S" "$1" "$2" >"$log" 2>&1
	rc=$?
	took=$(($(date +%s) - begin))
	set -- $(sed -n 's/^unit: \([0-9]*\) groups passed, \([0-9]*\) failed, \([0-9]*\) skipped.*/\1 \2 \3/p' "$log")
	case "$rc $*" in
	"0 1 0 0") grep -v '^ok  \|^unit: ' "$log" >"$log.rest"
	   { echo "ok   $name (${took}s)"; cat "$log.rest"; } | say ;;
	"0 0 0 1") grep '^skip' "$log" | sed "s/^skip /&${name% *} /" | say ;;
	*) set -- 0 1 0
	   { echo "FAIL $name ($(ended $rc), ${took}s)"; tail -n 40 "$log"; } | say ;;
	esac
	count "$@"
}

run_script() {
	name=${1##*/} name=${name%.sh}
	begin=$(date +%s)
	timeout -k 10 "$PATIENCE_S" sh "$1" >"$log" 2>&1 </dev/null
	rc=$?
	took=$(($(date +%s) - begin))
	case $rc in
	0) echo "ok   $name (${took}s)" | say; count 1 0 0 ;;
	77) echo "skip $name: $(tail -n 1 "$log")" | say; count 0 0 1 ;;
	*) { echo "FAIL $name ($(ended $rc), ${took}s)"; shorten | sed 's/^/     /'; } | say
	   count 0 1 0 ;;
	esac
}

if [ -n "${ONE_OF_THEM-}" ]; then
	said=$ONE_OF_THEM
	unset ONE_OF_THEM
	log=$(mktemp)
	trap 'rm -f "$log" "$log.rest"' EXIT
	case $1 in
	*.sh) run_script "$1" ;;
	*) run_group "$@" ;;
	esac
	exit 0
fi

is_wanted() {
	name=$1; shift
	[ $# = 0 ] && return 0
	for word; do
		case $name in *"$word"*) return 0 ;; esac
	done
	return 1
}

wanted() {
	for unit in "$BIN"/unit-*; do
		[ -x "$unit" ] && [ -f "$unit" ] || continue
		for group in $(sed 's/GROUP(t_\(.*\))/\1/' "$unit-groups.inc"); do
			! is_wanted "$unit $group" "$@" || echo "$unit $group"
		done
	done
	for script in tests/e2e/*.sh; do
		! is_wanted "$script" "$@" || echo "$script"
	done
}

# A line of tests/longest is "unit-AREA GROUP" or a script's name.
longest_first() {
	awk 'NR == FNR { if (!/^#/) rank[$0] = FNR; next }
	    { name = $0; sub(/.*\//, "", name); sub(/\.sh$/, "", name)
	      print (name in rank ? rank[name] : 9999), $0 }' tests/longest - |
	    sort -s -n -k 1,1 | cut -d ' ' -f 2-
}

cores=$(nproc)
JOBS=${JOBS:-$((cores < 2 ? 2 : 4))}
said=$(mktemp)
SHARED_RUNS=$(mktemp -d)
export SHARED_RUNS
trap 'rm -rf "$said" "$SHARED_RUNS"' EXIT
wanted "$@" | longest_first | ONE_OF_THEM=$said xargs -r -P "$JOBS" -L 1 sh "$0"
words=$*
set -- $(awk '{ p += $1; f += $2; s += $3 } END { print p + 0, f + 0, s + 0 }' "$said")
[ $(($1 + $2 + $3)) -gt 0 ] || {
	echo "tests/run.sh: no test is named: $words" >&2
	exit 2
}
echo "$1 passed, $2 failed, $3 skipped"
[ "$2" = 0 ]
