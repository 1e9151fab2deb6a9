# Who waits for a verdict sees how far it is: on a terminal a line that is
# written over again and gone at the end, in a pipe a plain line every two
# seconds or so, with --json nothing where nobody watches.
. tests/lib.sh
need script
kf=$BIN/kernelforge
kernel=tests/corpus/good/matmul_tiled.cl

export NO_COLOR=1
unset COLUMNS
TERM=xterm script -qec "$kf verify matmul $kernel" "$tmp/screen" >/dev/null </dev/null
live=$(printf '\r\033[K')
check "a stage is told when it begins" grep -qF "${live}build ..." "$tmp/screen"
check "cases are counted" grep -q 'holdouts: [1-9][0-9]* of [1-9][0-9]* cases' "$tmp/screen"
check "no count passes its end" awk '/holdouts: / {
	n = split($0, part, "holdouts: ")
	for (i = 2; i <= n; i++) { split(part[i], w, " "); if (w[1] + 0 > w[3] + 0) exit 1 } }' "$tmp/screen"
tail -n 4 "$tmp/screen" >"$tmp/last"
check "what is left is the verdict" grep -q 'verified_correct' "$tmp/last"
lacks "a line of progress below it" ' of [0-9]* cases$' "$tmp/last"

exits 0 "$kf" verify matmul "$kernel"
lacks "a live line in a pipe" "$(printf '\033')" "$tmp/err"
check "plain lines there, if any" awk '!/^[a-z]+(: [0-9]+ (of [0-9]+ cases|launches)| \.\.\.)$/ { exit 1 }' "$tmp/err"
exits 0 "$kf" verify matmul "$kernel" --json
check "nothing beside an object that a program reads" [ ! -s "$tmp/err" ]
