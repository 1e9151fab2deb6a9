# SIGKILL in the middle of a launch: the candidate's process, the zygote and
# the scratch folder are gone soon after.
. tests/lib.sh
need pgrep
kf=$BIN/kernelforge
mkdir "$tmp/scratch"

gone() { ! pgrep -f "$tmp/[h]ang.cl" >/dev/null; }
running() { find "$tmp/scratch" -name '*.so' 2>/dev/null | grep -q .; }
empty() { [ -z "$(ls -A "$tmp/scratch")" ]; }

cp tests/corpus/bad/swiglu_hang.cl "$tmp/hang.cl"
TMPDIR=$tmp/scratch "$kf" verify swiglu "$tmp/hang.cl" --deadline-ms 60000 \
    >"$tmp/hang.out" 2>"$tmp/hang.err" &
echo $! >"$tmp/hang.pid"
started=hang
await running
kill -KILL "$(cat "$tmp/hang.pid")"
await gone
await empty
