# One judge looks at a run for ledger check, report and kf-view: whatever file
# is gone, no file, unreadable or edited, all three say so, the view at its top
# with nothing in green below it, and none when nothing is wrong.  Figures are
# the ledger's, never the scorecard file's.
. tests/lib.sh
need jq
kf=$BIN/kernelforge view=$BIN/kf-view
demo_run "$tmp/run"

# A copy of the run with something done to it.
spoil() { # COMMAND...
	rm -rf "$tmp/bad"
	cp -r "$tmp/run" "$tmp/bad"
	(cd "$tmp/bad" && "$@")
}
try() { # HOW NAME COMMAND...
	how=$1 name=$2
	shift 2
	for command in "ledger check" report; do
		# A report makes anew what is derived.
		spoil "$@"
		got=0
		timeout 20 "$kf" $command "$tmp/bad" >"$tmp/out" 2>"$tmp/err" || got=$?
		check "$command finds $how $name" [ $got -gt 0 -a $got -lt 4 ]
		check "$command names it: $how $name" grep -q "$name" "$tmp/err"
	done
	spoil "$@"
	got=0
	timeout 20 "$view" "$tmp/bad" --plain --explain --width 160 >"$tmp/told" 2>"$tmp/err" || got=$?
	check "the view exits 1: $how $name" [ $got = 1 ]
	check "it says so first, by the file's name: $how $name" sh -c "head -n 1 '$tmp/told' | grep -q '^EVIDENCE BROKEN: $name'"
	lacks "and nothing rests on it: $how $name" -qE '★|operators verified|verified, try|judge: right$' "$tmp/told"
	got=0
	timeout 20 "$view" "$tmp/bad" --cast "$tmp/cast" 2>/dev/null || got=$?
	check "nor is any of it green: $how $name" [ $got = 1 ]
	lacks "in a cast: $how $name" -qF '[0;32m' "$tmp/cast"
}
as_folder() { rm "$1" && mkdir "$1"; }
as_pipe() { rm "$1" && mkfifo "$1"; }
files='ledger.jsonl naive.jsonl chaos.jsonl gateway.jsonl trace.jsonl used.json run.json
    scorecard.json kernels/rope/1.json kernels/rope/1.cl kernels/rope/naive.json kernels/rope/naive.cl'
for name in $files; do
	try "a folder for" $name as_folder $name
	# Only a report makes what is derived and gone, and is content.
	[ $name = scorecard.json ] || try "nothing for" $name rm $name
	[ "$(id -u)" = 0 ] || [ $name = scorecard.json ] || try "no right to read" $name chmod 000 $name
done
for name in ledger.jsonl chaos.jsonl run.json kernels/rope/1.cl; do
	try "a pipe for" $name as_pipe $name
done
try "a byte more in" summary.txt sh -c 'echo >>summary.txt'
try "a file more, " kernels/rope/9.cl cp kernels/rope/1.cl kernels/rope/9.cl
exits 0 "$kf" ledger check "$tmp/run"
exits 0 "$view" "$tmp/run" --plain
check "a whole run is green" grep -q '★ rope verified' "$tmp/out"

# What is made of a chaos log that is gone blames neither record nor run.json.
spoil rm chaos.jsonl
exits 1 "$kf" ledger check "$tmp/bad"
lacks "nobody else is blamed" -q 'kernels/\|run.json' "$tmp/err"

# The figures of the end are counted from the journals.
spoil :
jq '.kernelforge.correct = 2 | .naive.silent_wrong = 0' "$tmp/run/scorecard.json" >"$tmp/bad/scorecard.json"
exits 1 "$view" "$tmp/bad" --plain
check "not from the file" grep -qE '^silently wrong +1 of 3 .* 0 of 3' "$tmp/out"

# A reason is told to its end, behind however long a path.
long=$tmp/$(printf 'a-long-name-of-a-folder-%0100d/' 1 2 3 4 5 6)
mkdir -p "$long"
cp -r "$tmp/run" "$long/run"
sed -i '2s/"iteration":1/"iteration":7/' "$long/run/ledger.jsonl"
exits 1 "$kf" ledger check "$long/run"
check "check says what is wrong" grep -q 'ledger.jsonl:2: hash does not fit: the line was edited$' "$tmp/err"
exits 1 "$kf" ledger check "$long/run/ledger.jsonl"
exits 1 "$kf" report "$long/run"
check "report too" grep -q 'ledger.jsonl:2: hash does not fit: the line was edited$' "$tmp/err"
check "and its page" grep -q 'ledger.jsonl:2: hash does not fit: the line was edited</td>' "$long/run/report.html"
exits 1 "$view" "$long/run" --plain --width 160
check "and the view" sh -c "head -n 3 '$tmp/out' | tr '\n' ' ' | grep -q 'ledger.jsonl:2: hash does not fit: the line was edited'"
cp "$long/run/ledger.jsonl" "$long/alone.jsonl"
exits 1 "$kf" ledger check "$long/alone.jsonl"
check "and who checks a file alone" grep -q 'alone.jsonl:2: hash does not fit: the line was edited$' "$tmp/err"

# Without a run.json a report tells what the journals hold, and that nothing says what they were.
no_run() { # HOW
	exits 1 "$kf" report "$tmp/bad"
	check "first what is wrong, then the figures ($1)" sh -c "grep -n 'DOES NOT HOLD\|Kernels claimed' '$tmp/out' | head -n 1 | grep -q 'DOES NOT HOLD'"
	check "the operators that the journals name ($1)" grep -q '^rope: ' "$tmp/bad/summary.txt"
	check "the page says so first ($1)" grep -q 'run.json: ' "$tmp/bad/report.html"
	check "and holds nothing for proved ($1)" grep -q 'claimed, unsupported' "$tmp/bad/report.html"
}
spoil rm run.json
no_run gone
check "none is made" [ ! -e "$tmp/bad/run.json" ]
for text in '{"exit":0,' '[]' '' 'null'; do
	spoil sh -c "printf '%s' '$text' >run.json"
	no_run "$text"
	check "it stays as it is: $text" test "$(cat "$tmp/bad/run.json")" = "$text"
done

# A report that cannot read the run leaves nothing green of an earlier one; in
# a folder of somebody else it touches nothing.
for name in run.json ledger.jsonl; do
	spoil as_pipe $name
	exits 2 timeout 20 "$kf" report "$tmp/bad"
	for derived in summary.txt report.html scorecard.md scorecard.json; do
		check "$derived is gone ($name)" [ ! -e "$tmp/bad/$derived" ]
		check "and that is said ($name, $derived)" grep -q "$derived: removed: " "$tmp/err"
	done
done
mkdir "$tmp/other"
echo mine >"$tmp/other/summary.txt"
exits 2 "$kf" report "$tmp/other"
check "somebody else's file stays" grep -qx mine "$tmp/other/summary.txt"

# A ledger beyond all bounds is refused before it is read.
spoil truncate -s 3G ledger.jsonl
exits 1 timeout 10 "$kf" ledger check "$tmp/bad"
check "by its length" grep -q 'ledger.jsonl: longer than 1073741824 bytes' "$tmp/err"
exits 1 timeout 10 "$view" "$tmp/bad" --plain

# Of another build of this version the words may be others: as long as its
# files are what it left they are no edit, and an edit of them is one.
reseal() { # JQ
	jq -c "$1 | del(.seal)" "$tmp/run/run.json" >"$tmp/rest"
	jq -S --arg seal "$(jq -cSj . "$tmp/rest" | sha256sum | cut -d ' ' -f 1)" \
	    '.seal = $seal' "$tmp/rest" >"$tmp/bad/run.json"
}
spoil sh -c 'echo in other words >>summary.txt'
hash=$(sha256sum "$tmp/bad/summary.txt" | cut -d ' ' -f 1)
reseal ".versions.build = \"0123456789abcdef\" | .anchors.derived[\"summary.txt\"] = \"$hash\""
exits 0 "$kf" ledger check "$tmp/bad"
check "it says who made it" grep -q 'made by another build of kernelforge, [0-9.]*, build 0123456789abcdef (this one is .*): summary.txt: ' "$tmp/out"
check "and what was not compared" grep -q 'not compared' "$tmp/out"
exits 0 "$view" "$tmp/bad" --plain
echo 'one word more' >>"$tmp/bad/summary.txt"
exits 1 "$kf" ledger check "$tmp/bad"
check "which file was edited" grep -q 'summary.txt: not what follows from the run' "$tmp/err"
exits 1 "$view" "$tmp/bad" --plain
reseal ".anchors.derived[\"summary.txt\"] = \"$(sha256sum "$tmp/bad/summary.txt" | cut -d ' ' -f 1)\""
exits 1 "$kf" ledger check "$tmp/bad"
check "by the build that made it no hash is believed" grep -q 'summary.txt: not what follows from the run' "$tmp/err"
