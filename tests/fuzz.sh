#!/bin/sh
# fuzz.sh BUILD TARGET...: runs fuzz targets two at a time, FUZZ_S seconds each;
# those that face the network or read configuration run FUZZ_DOOR_S seconds.
# A finding is left as crash-* in BUILD/fuzz and fails the run.
set -eu
build=$1
shift
export build
one() {
	name=${1##*/}
	case $name in
	http1 | http1_chunks | sse | gateway_conf | mcp_message) seconds=${FUZZ_DOOR_S:-$FUZZ_S} ;;
	*) seconds=$FUZZ_S ;;
	esac
	mkdir -p "$build/corpus/$name"
	seeds=
	[ ! -d "tests/data/$name" ] || seeds=tests/data/$name
	if "$1" -max_total_time="$seconds" -verbosity=0 -artifact_prefix="$build/fuzz/" \
	    "$build/corpus/$name" $seeds >"$build/corpus/$name.log" 2>&1; then
		echo "ok   fuzz $name (${seconds}s)"
	else
		echo "FAIL fuzz $name"
		tail -n 30 "$build/corpus/$name.log"
		return 1
	fi
}
if [ "${ONE:-}" ]; then
	one "$1"
	exit
fi
printf '%s\n' "$@" | ONE=1 xargs -P 2 -n 1 sh "$0" "$build"
