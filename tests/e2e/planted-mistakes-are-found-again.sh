# Mistakes that a grammar plants are not accepted: four of a seed that is known
# to be clean, secret seeds and all; `make adversary` draws a fresh one.  A run
# that is stopped goes on where it stood, and judges nothing twice.
. tests/lib.sh
proving=$BIN/proving
need "$proving"
journal=$tmp/journal

direct= # exec: who is started in the background is the program itself
adversary() {
	$direct "$proving" adversary --n 4 --first 1 --out "$tmp/found" --journal "$journal" "$@"
}

direct=exec
adversary --seed autumn --workers 1 >"$tmp/out" 2>"$tmp/stopped.err" & run=$!
direct=
judged_one() { [ "$(cat "$journal" 2>/dev/null | wc -l)" -gt 1 ] || ! kill -0 $run 2>/dev/null; }
await judged_one
kill -TERM $run 2>/dev/null || :
got=0
wait $run || got=$?
[ $got != 3 ] || { echo "no OpenCL device here"; exit 77; }
check "who is asked to stop has not proved it" [ $got = 1 ]
check "it says how to go on" grep -q 'stopped: [123] of 4 judged' "$tmp/stopped.err"

got=0
adversary >"$tmp/out" 2>"$tmp/err" || got=$?
grep -E '^(ACCEPTED|lab_error|unproven)' "$tmp/err" || :
tail -n 2 "$tmp/out"
check "no wrong kernel is accepted" [ $got = 0 ]
check "it goes on with its seed" grep -q 'seed "autumn": [123] of 4 judged before' "$tmp/err"
check "each was judged once" [ "$(grep -o '"key":"[1-4]"' "$journal" | sort | tr -d '\n')" = \
	'"key":"1""key":"2""key":"3""key":"4"' ]
check "it says who judged" grep -q '^judged by build [0-9a-f]* (this one): 4$' "$tmp/out"
exits 2 "$proving" adversary --n 0
exits 2 "$proving" adversary --finds-max -1
exits 2 "$proving" adversary --journal "$tmp/none/journal"
exits 2 "$proving" composed --n x
