# Whatever file of a run is cut, emptied, removed or edited, ledger check and
# report exit 1, and the page and the summary say so first; what is derived is
# named and made anew, and a run with such a file is not merged, compared or
# exported.
. tests/lib.sh
need jq
kf=$BIN/kernelforge
cat >"$tmp/scenario.json" <<EOF
{"chaos": 1, "name": "changes", "seed": "5",
 "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "script", "answers": "$PWD/tests/data/agent/resume/"}},
 "agent": {"ops": ["rope"], "profile": "demo", "deadline_ms": 1200}}
EOF
start chaos "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
exits 0 "$kf" run --scenario "$tmp/scenario.json" --gateway "http://$(address chaos models)" --out "$tmp/run"
exits 0 "$kf" ledger check "$tmp/run"
exits 0 "$kf" ledger check "$tmp/run/ledger.jsonl"
exits 0 "$kf" report "$tmp/run"
exits 0 "$kf" ledger check "$tmp/run"

changed() { # WHAT
	exits 1 "$kf" ledger check "$tmp/bad"
	check "check says what ($1)" grep -q 'kernelforge error check' "$tmp/err"
	exits 1 "$kf" ledger check "$tmp/bad/ledger.jsonl"
	[ "$1" != derived ] || return 0
	exits 1 "$kf" report "$tmp/bad"
	check "the summary says so first ($1)" sh -c "head -n 1 $tmp/bad/summary.txt | grep -q 'DOES NOT HOLD'"
	check "and its last line counts nothing as verified by it ($1)" sh -c "tail -n 1 $tmp/bad/summary.txt | grep -q 'does not hold'"
	check "the page says so before it tells anything ($1)" sh -c \
	    "tr '\n' ' ' <$tmp/bad/report.html | sed 's/id=.scorecard.*//' | grep -q 'does not hold'"
	exits 1 "$kf" report "$tmp/bad"
	# A resumed run goes by its plan and writes the rest anew.
	case $1 in *sealed) return 0 ;; esac
	check "it is not gone on with ($1)" sh -c \
	    "! $kf run --resume --out $tmp/bad --gateway http://127.0.0.1:1 2>$tmp/err"
	check "one line says why ($1)" test "$(grep -c 'kernelforge error' "$tmp/err")" = 1
}
try() { # FILE WHAT COMMAND...
	rm -rf "$tmp/bad"
	cp -r "$tmp/run" "$tmp/bad"
	file=$tmp/bad/$1 told=$2
	shift 2
	"$@"
	changed "$told"
}
cut_lines() { head -n "$1" "$file" >"$tmp/cut"; cp "$tmp/cut" "$file"; }
lines=$(wc -l <"$tmp/run/ledger.jsonl")
n=0
while [ "$n" -lt "$lines" ]; do
	try ledger.jsonl "cut after $n lines" cut_lines "$n"
	n=$((n + 3))
done
try ledger.jsonl "the closing line" cut_lines $((lines - 1))
for name in naive.jsonl trace.jsonl kernels/rope/1.cl kernels/rope/2.json kernels/rope/naive.cl; do
	try $name "$name emptied" cp /dev/null "$tmp/bad/$name"
	try $name "$name removed" rm "$tmp/bad/$name"
	try $name "$name with a byte more" sh -c "echo >>$tmp/bad/$name"
done
try ledger.jsonl "the ledger removed" rm "$tmp/bad/ledger.jsonl"
try run.json "another seed" sed -i 's/"seed": "5"/"seed": "6"/' "$tmp/bad/run.json"
# With a seal made anew: the ledger's commitments and the fingerprint tell.
resealed() { # JQ
	jq -c "$1 | del(.seal)" "$tmp/run/run.json" >"$tmp/rest"
	jq -S --arg seal "$(jq -cSj . "$tmp/rest" | sha256sum | cut -d ' ' -f 1)" \
	    '.seal = $seal' "$tmp/rest" >"$file"
}
try run.json "another seed, sealed" resealed '.seed = "6"'
try run.json "another fingerprint, sealed" resealed '.fingerprint = "0"'
try run.json "a count" sed -i 's/"verified": 1/"verified": 2/' "$tmp/bad/run.json"
try kernels/rope/9.cl "a kernel more" cp "$tmp/run/kernels/rope/2.cl" "$tmp/bad/kernels/rope/9.cl"
for name in summary.txt scorecard.json scorecard.md report.html; do
	try $name derived sh -c "echo 20 of 20 >>$tmp/bad/$name"
	for words in merge export "compare $tmp/run"; do
		# shellcheck disable=SC2086
		exits 1 "$kf" $words "$tmp/bad"
		check "$words says which ($name)" grep -q "$name: not what follows from the run" "$tmp/err"
	done
	exits 1 "$kf" report "$tmp/bad"
	check "report says which ($name)" grep -q "$name: not what follows from the run" "$tmp/err"
	check "and makes it as it was ($name)" cmp "$tmp/bad/$name" "$tmp/run/$name"
	exits 0 "$kf" report "$tmp/bad"
	rm "$tmp/bad/$name"
	exits 1 "$kf" ledger check "$tmp/bad"
	check "check says that it is gone ($name)" grep -q "$name: gone" "$tmp/err"
	exits 0 "$kf" report "$tmp/bad"
	exits 0 "$kf" ledger check "$tmp/bad"
done
# A sum goes into a folder of its own, which is made, and onto no run.
exits 0 "$kf" merge --out "$tmp/sum/of/one" "$tmp/run"
check "it is there" test -s "$tmp/sum/of/one/scorecard.json"
exits 2 "$kf" merge --out "$tmp/run" "$tmp/run"
check "one line says why" test "$(grep -c 'holds a run, which has a scorecard of its own' "$tmp/err")" = 1
exits 0 "$kf" ledger check "$tmp/run"

# What another version derived is no edit, unless it kept hashes of it; what was
# recorded still is.
rm -rf "$tmp/bad"
cp -r "$tmp/run" "$tmp/bad"
file=$tmp/bad/run.json
resealed '.versions.kernelforge = "0.1.9"'
echo "worded otherwise" >>"$tmp/bad/summary.txt"
exits 1 "$kf" ledger check "$tmp/bad"
check "which file was edited" grep -q 'summary.txt: not what follows from the run' "$tmp/err"
resealed '.versions = {kernelforge: "0.1.9"} | del(.anchors.derived)'
exits 0 "$kf" ledger check "$tmp/bad"
check "and it says who made it" grep -q 'made by another build of kernelforge, 0.1.9 .* not compared' "$tmp/out"
exits 0 "$kf" report "$tmp/bad"
lacks "report words it anew" -q otherwise "$tmp/bad/summary.txt"
echo >>"$tmp/bad/kernels/rope/1.cl"
exits 1 "$kf" ledger check "$tmp/bad"

# A run that was killed says that it did not end, and how to go on with it.
rm -rf "$tmp/bad"
cp -r "$tmp/run" "$tmp/bad"
head -n 4 "$tmp/run/ledger.jsonl" >"$tmp/bad/ledger.jsonl"
jq '.exit = null | del(.anchors)' "$tmp/run/run.json" >"$tmp/bad/run.json"
exits 1 "$kf" ledger check "$tmp/bad"
check "it says how to go on" grep -q 'the run did not end: kernelforge run --resume' "$tmp/err"

# A pipe in a file's place is no file, and nobody waits for what it might say.
for name in run.json ledger.jsonl trace.jsonl kernels/rope/1.json; do
	rm -rf "$tmp/bad"
	cp -r "$tmp/run" "$tmp/bad"
	rm "$tmp/bad/$name"
	mkfifo "$tmp/bad/$name"
	for command in "ledger check" report "export"; do
		rc=0
		timeout 20 "$kf" $command "$tmp/bad" >"$tmp/out" 2>"$tmp/err" || rc=$?
		check "$command of a pipe for $name is refused" test "$rc" -gt 0 -a "$rc" -lt 4
		check "it says which" grep -q "$name: found a pipe or a device, expected a file" "$tmp/err"
	done
done

for command in "run --resume --base-url http://127.0.0.1:1 --out $tmp/bad" "verify --from $tmp/bad --op rope" "ledger show $tmp/bad/ledger.jsonl"; do
	for name in run.json ledger.jsonl; do
		case $command in
		run* | *ledger.jsonl) [ $name = ledger.jsonl ] || [ "${command%% *}" = run ] || continue ;;
		*) [ $name = ledger.jsonl ] || continue ;;
		esac
		rm -rf "$tmp/bad"
		cp -r "$tmp/run" "$tmp/bad"
		rm "$tmp/bad/$name"
		mkfifo "$tmp/bad/$name"
		rc=0
		timeout 20 "$kf" $command >"$tmp/out" 2>"$tmp/err" || rc=$?
		check "$command of a pipe for $name is refused" test "$rc" -gt 0 -a "$rc" -lt 4
		check "it says which" grep -q "$name: found a pipe or a device, expected a file" "$tmp/err"
	done
done

# What stands behind a NUL, and blanks around, are edits as any other.
added() { # FILE PRINTF-TEXT
	rm -rf "$tmp/bad"
	cp -r "$tmp/run" "$tmp/bad"
	printf "$2" >>"$tmp/bad/$1"
	rc=0
	"$kf" ledger check "$tmp/bad" >"$tmp/out" 2>"$tmp/err" || rc=$?
	check "$1 with $2 behind it is named" test "$rc" = 1
	check "by its name" grep -q "$1" "$tmp/err"
}
for name in summary.txt scorecard.json scorecard.md report.html; do
	added $name '\0relu: verified_correct in iteration 1\n'
done
added run.json ' \n'
added ledger.jsonl ' \n'
rm -rf "$tmp/bad"
cp -r "$tmp/run" "$tmp/bad"
sed -i 's/$/\r/' "$tmp/bad/ledger.jsonl"
exits 1 "$kf" ledger check "$tmp/bad"

# One edited line is told once, and nobody else is blamed for it.
rm -rf "$tmp/bad"
cp -r "$tmp/run" "$tmp/bad"
sed -i '2s/"iteration":1/"iteration":7/' "$tmp/bad/ledger.jsonl"
exits 1 "$kf" ledger check "$tmp/bad"
check "the line is named" grep -q 'ledger.jsonl:2: hash does not fit' "$tmp/err"
check "the file is not called gone, nor run.json edited" sh -c "! grep -q 'gone, or cannot\|run.json' '$tmp/err'"

# Nor is a run without run.json one of which nothing is known but the chain.
rm -rf "$tmp/bad"
cp -r "$tmp/run" "$tmp/bad"
rm "$tmp/bad/run.json"
exits 1 "$kf" ledger check "$tmp/bad"
check "it says what is missing" grep -q 'run.json: missing' "$tmp/err"

# A folder whose name gives a terminal orders is named without them.
odd=$tmp/$(printf 'x\033[31m\342\200\256\302\233y')
cp -r "$tmp/run" "$odd"
for at in "$odd" "$odd/ledger.jsonl" "$odd/none"; do
	"$kf" ledger check "$at" >"$tmp/said" 2>&1 || :
	grep -q 'x?\[31m?????y' "$tmp/said" || fail "is named: $(cat "$tmp/said")"
	lacks "no order comes through" -qE "$(printf '\033|\342\200\256|\302\233')" "$tmp/said"
done

# What was not written whole was not said.
if [ -w /dev/full ]; then
	for command in "ledger check" report; do
		rc=0
		"$kf" $command "$tmp/run" >/dev/full 2>"$tmp/err" || rc=$?
		check "$command onto a full device exits 3" test "$rc" = 3
	done
fi
