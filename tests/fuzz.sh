#!/bin/sh
# fuzz.sh BUILD TARGET...: runs fuzz targets two at a time, FUZZ_S seconds each;
# those that face the network or read configuration run FUZZ_DOOR_S seconds, and
# first, so that none of them is alone at the end.
# With FUZZ_SEED each begins anew from tests/data, with these dice; without it the
# dice are fresh, and what was found before in BUILD/corpus is gone on from.
# A finding is left as crash-* in BUILD/fuzz and fails the run.
set -eu
build=$1
shift
export build
is_door() {
	case ${1##*/} in
	http1 | http1_chunks | sse | wsframe | gateway_conf | mcp_message) return 0 ;;
	esac
	return 1
}
one() {
	name=${1##*/} seconds=$FUZZ_S
	! is_door "$1" || seconds=${FUZZ_DOOR_S:-$FUZZ_S}
	corpus=$build/corpus/$name
	[ -z "${FUZZ_SEED:-}" ] || corpus=$build/corpus/seed-$FUZZ_SEED/$name
	[ -z "${FUZZ_SEED:-}" ] || rm -rf "$corpus"
	mkdir -p "$corpus"
	seeds=
	[ ! -d "tests/data/$name" ] || seeds=tests/data/$name
	if "$1" -max_total_time="$seconds" -seed="${FUZZ_SEED:-0}" -verbosity=0 -artifact_prefix="$build/fuzz/" \
	    "$corpus" $seeds >"$corpus.log" 2>&1; then
		echo "ok   fuzz $name (${seconds}s)"
	else
		echo "FAIL fuzz $name"
		tail -n 30 "$corpus.log"
		return 1
	fi
}
if [ "${ONE:-}" ]; then
	one "$1"
	exit
fi
{
	for target; do ! is_door "$target" || echo "$target"; done
	for target; do is_door "$target" || echo "$target"; done
} | ONE=1 xargs -P 2 -n 1 sh "$0" "$build"
