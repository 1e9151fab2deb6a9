#!/bin/sh
# make bench-kernels: every correct kernel of the corpus against the plain
# kernel of its operator and against the machine.  Losses are shown as losses.
# One line a size; KERNELS=GLOB picks some.
set -eu
BIN=${BIN:-build}
command -v jq >/dev/null || { echo "bench-kernels: no jq here"; exit 3; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

ops=$("$BIN"/kernelforge ops --json | jq -r '.[].name')
op_of() { # FILE: the longest operator's name that it begins with
	for op in $ops; do
		case $1 in "$op" | "$op"_*) echo "${#op} $op" ;; esac
	done | sort -rn | sed -n '1s/.* //p'
}

printf '%-22s %-16s %10s %10s %8s %9s %6s  %s\n' \
    kernel size 'plain ms' 'this ms' speed-up roofline SOL timing
for file in kernels/plain/${KERNELS:-*}.cl tests/corpus/good/${KERNELS:-*}.cl; do
	[ -f "$file" ] || continue
	name=$(basename "$file" .cl)
	"$BIN"/kernelforge bench "$(op_of "$name")" "$file" --json \
	    >"$tmp/one.json" 2>"$tmp/err" || { echo "$name: $(tail -n 1 "$tmp/err")"; continue; }
	jq -r --arg k "$name" '.sizes[] | [$k, .shape + (if .held_out then "*" else "" end),
	    (.plain.median_ms * 1000 | round / 1000), (.candidate.median_ms * 1000 | round / 1000),
	    (.speedup // 0 | . * 100 | round / 100), (.roofline // 0 | . * 1000 | round / 10),
	    (.sol // 0 | . * 100 | round / 100), (.status | gsub(" "; "-"))] | @tsv' "$tmp/one.json" |
	    while read -r k shape plain this up roof sol status; do
		printf '%-22s %-16s %10s %10s %7sx %7s %% %6s  %s\n' \
		    "$k" "$shape" "$plain" "$this" "$up" "$roof" "$sol" "$status"
	done
	jq -c '{k: $k, s: .speedup, m: .machine}' --arg k "$name" "$tmp/one.json" >>"$tmp/all"
done
echo "(* held out: drawn when it is timed)"
[ -s "$tmp/all" ] || exit 1
jq -rs '(map(.s // empty)) as $s | (length) as $n |
    "over \($n) kernels: geometric mean \(($s | map(log) | add / length | exp) * 100 | round / 100)x, " +
    ([1, 1.5, 2] | map(. as $p | "fast_\($p) \(($s | map(select(. > $p)) | length) / $n * 100 | round / 100)") | join(", ")),
    (map(.m) | "one core: reads \(map(.read_gbs) | max | round) GB/s, triad \(map(.triad_gbs) | max | round) GB/s, peak \(map(.peak_gflops) | max | round) GFLOP/s")' "$tmp/all"
