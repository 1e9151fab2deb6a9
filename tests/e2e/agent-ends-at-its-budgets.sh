# A budget of tokens, dollars or iterations that is used up ends a run in
# order: exit 1, a word in the ledger's last line, a sentence in the summary;
# a resumed run counts on from what the first one used.
. tests/lib.sh
need jq
kf=$BIN/kernelforge
mkdir -p "$tmp/answers/small"
echo 'I am sorry, I cannot help with kernels.' >"$tmp/answers/small/rope.txt"
cp "$tmp/answers/small/rope.txt" "$tmp/answers/small/rmsnorm.txt"
cat >"$tmp/scenario.json" <<EOF
{"chaos": 1, "name": "live", "seed": "5",
 "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "script", "answers": "$tmp/answers/"}}}
EOF
start chaos "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
run() { # CODE OUT ARGS...
	code=$1 out=$tmp/$2
	shift 2
	exits "$code" "$kf" run --out "$out" --base-url "http://$(address chaos models)" --jobs 1 "$@"
}
begin() { # OUT ARGS...
	name=$1
	shift
	run 1 "$name" --ops rope,rmsnorm --model small --no-naive "$@"
}
ended() { # OUT WORD SENTENCE TRIES
	check "$1: the ledger says $2" test "$(jq -r 'select(.closed) | .ended' "$tmp/$1/ledger.jsonl" | tail -n 1)" = "$2"
	check "$1: the summary says it" grep -qx "The run ended before its time: $3." "$tmp/$1/summary.txt"
	check "$1: it is verified as such" "$kf" ledger check "$tmp/$1"
	check "$1: no try was begun that could not ask" test "$(jq -s 'map(select(.state == "attempted")) | length' "$tmp/$1/ledger.jsonl")" = "$4"
	check "$1: $4 answers" test "$(jq -s 'map(select(.state == "generated")) | length' "$tmp/$1/ledger.jsonl")" = "$4"
}
begin tokens --max-tokens 1
ended tokens budget_tokens 'its budget of tokens was used up' 1
check "of how many it was asked" grep -qx '0 of 2 operators verified; not begun: 1.' "$tmp/tokens/summary.txt"
begin iterations --max-iterations 4
ended iterations budget_iterations 'its budget of iterations was used up' 4
begin two --max-iterations 2
ended two budget_iterations 'its budget of iterations was used up' 2
lacks "no third try is told" -q 'try 3' "$tmp/err"
# Of two workers at the last iteration one may begin it.
run 1 last --ops rope,rmsnorm --model small --no-naive --max-iterations 1 --jobs 2
ended last budget_iterations 'its budget of iterations was used up' 1
# A dollar a token: the first answer is dearer than the budget.
begin usd --max-usd 1.5 --price 1000000,1000000
ended usd budget_usd 'its budget of dollars was used up' 1
lacks "a price was given" -q 'without --price' "$tmp/err"
# Of a provider that tells no cost no dollar is known.
run 1 unpriced --ops rope --model small --no-naive --max-usd 0.000001
check "no price: it is said" test "$(grep -c 'warn run: --max-usd without --price counts what a gateway says' "$tmp/err")" = 1
check "the price is in the record" test "$(jq '.spent.usd > 1' "$tmp/usd/kernels/rope/1.json")" = true

# What was used counts on: no answer more under the same budget, one under a
# larger one, and then the end as it is when nothing is left to do.
run 1 tokens --resume
ended tokens budget_tokens 'its budget of tokens was used up' 1
run 1 iterations --resume --max-iterations 5
ended iterations budget_iterations 'its budget of iterations was used up' 5
run 1 iterations --resume --max-iterations 100
check "the whole run ended as runs end" test "$(jq -r 'select(.closed) | .ended' "$tmp/iterations/ledger.jsonl" | tail -n 1)" = null
lacks "the summary says no more" -q 'before its time' "$tmp/iterations/summary.txt"

# Money that is none is bad use.
for words in '--max-usd x' '--max-usd -1' '--max-usd 0' '--price 1' '--price 1,x' '--price 1,nan' '--breaker none' '--max-iterations 0'; do
	# shellcheck disable=SC2086
	run 2 bad --ops rope --model small $words
	check "$words: one line" test "$(wc -l <"$tmp/err")" = 1
done
