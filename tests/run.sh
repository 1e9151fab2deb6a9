#!/bin/sh
# Runs every unit program and every end-to-end script, or those whose name
# holds one of the words given, and ends with "N passed, N failed, N skipped".
# BIN is the build folder.  A script passes with 0 and skips with 77.
set -u
BIN=${BIN:-build}
export BIN
PATIENCE_S=${PATIENCE_S:-600} # for one of them, which by then hangs
passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

is_wanted() {
	name=$1; shift
	[ $# = 0 ] && return 0
	for word; do
		case $name in *"$word"*) return 0 ;; esac
	done
	return 1
}

# "unit: P groups passed, F failed, S skipped (...)": the runner's last line.
count_unit() {
	set -- $(sed -n 's/^unit: \([0-9]*\) groups passed, \([0-9]*\) failed, \([0-9]*\) skipped.*/\1 \2 \3/p' "$log")
	if [ $# != 3 ]; then
		echo "FAIL the runner died"
		set -- 0 1 0
	fi
	passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

for unit in "$BIN"/unit-*; do
	[ -x "$unit" ] && [ -f "$unit" ] || continue
	is_wanted "$unit" "$@" || continue
	echo "== ${unit##*/}"
	timeout -k 5 "$PATIENCE_S" "$unit" >"$log" 2>&1
	cat "$log"
	count_unit
done

echo "== end to end"
for script in tests/e2e/*.sh; do
	[ -e "$script" ] || continue
	is_wanted "$script" "$@" || continue
	name=${script##*/}
	begin=$(date +%s)
	timeout -k 10 "$PATIENCE_S" sh "$script" >"$log" 2>&1 </dev/null
	rc=$?
	took=$(($(date +%s) - begin))
	case $rc in
	0) passed=$((passed + 1)); echo "ok   ${name%.sh} (${took}s)" ;;
	77) skipped=$((skipped + 1)); echo "skip ${name%.sh}: $(tail -n 1 "$log")" ;;
	*) failed=$((failed + 1)); echo "FAIL ${name%.sh} (exit $rc)"
	   sed 's/^/     /' "$log" | tail -n 40 ;;
	esac
done

[ $((passed + failed + skipped)) -gt 0 ] || {
	echo "tests/run.sh: no test is named: $*" >&2
	exit 2
}
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
