# A budget of tokens, dollars or iterations that is used up ends a run in
# order: exit 1, a word in the ledger's last line, a sentence in the summary;
# a resumed run counts on from what the first one used, whatever ended that;
# attempts that were cut count too.
. tests/lib.sh
need jq
need python3
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
ended() { # OUT WORD SENTENCE TRIES [ANSWERS]
	check "$1: the ledger says $2" test "$(jq -r 'select(.closed) | .ended' "$tmp/$1/ledger.jsonl" | tail -n 1)" = "$2"
	check "$1: the summary says it" grep -qx "The run ended before its time: $3." "$tmp/$1/summary.txt"
	check "$1: it is verified as such" "$kf" ledger check "$tmp/$1"
	check "$1: no try was begun that could not ask" test "$(jq -s 'map(select(.state == "attempted")) | length' "$tmp/$1/ledger.jsonl")" = "$4"
	check "$1: ${5-$4} answers" test "$(jq -s 'map(select(.state == "generated")) | length' "$tmp/$1/ledger.jsonl")" = "${5-$4}"
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

stop chaos

# Every attempt of a question counts, that of a stream that was cut too: what
# arrived, or what was told, and what was asked; and between attempts a budget
# that is used up asks no more.
cat >"$tmp/server.py" <<'EOF'
import json, sys
from answer_server import serve
log = open(sys.argv[2], "w")
def event(**what):
    return "data: %s\n\n" % json.dumps(what)
def answer(request, body):
    log.write("asked\n"); log.flush()
    text = event(choices=[{"index": 0, "delta": {"content": "word " * 2000}}])
    if sys.argv[1] == "told":
        text += event(choices=[], usage={"prompt_tokens": 1000, "completion_tokens": 10000})
    return 200, {"Content-Type": "text/event-stream"}, text.encode()
serve(answer)
EOF
cut() { # HOW OUT TRIES ARGS...
	how=$1 which=$2 tries=$3
	shift 3
	rm -f "$tmp/server.ready"
	started=
	serve_answers server "$tmp/server.py" "$how" "$tmp/asked"
	exits 1 "$kf" run --out "$tmp/$which" --base-url "http://$(address server server)" --jobs 1 --model m --ops relu,abs --no-naive "$@"
	stop server
	check "$which: asked $tries times" test "$(wc -l <"$tmp/asked")" = "$tries"
	check "$which: the ledger says the budget" test "$(jq -r 'select(.closed) | .ended' "$tmp/$which/ledger.jsonl" | tail -n 1)" = "$BUDGET"
}
spent() { # OUT JQ
	check "$1: spent: $2" test "$(jq ".spent | $2" "$tmp/$1/kernels/relu/1.json")" = true
}
BUDGET=budget_tokens
cut quiet quiet 1 --max-tokens 3000
spent quiet '.completion_tokens == 2500 and .prompt_tokens > 600 and .calls == 1'
cut quiet twice 2 --max-tokens 4500
spent twice '.completion_tokens == 5000 and .calls == 2'
cut told told 2 --max-tokens 15000
spent told '.completion_tokens == 20000 and .prompt_tokens == 2000'
BUDGET=budget_usd
cut quiet dollars 1 --max-usd 0.0001 --price 1,0
spent dollars '.usd > 0.0006 and .usd < 0.01'

# What was used counts on whatever ended the run: of a question that was cut by
# a signal, too, which has no answer and so no record; and so do the minutes.
cat >"$tmp/slow.py" <<'EOS'
import json, sys
from answer_server import serve
log = open(sys.argv[1], "a")
def answer(request, body):
    request.send_response(200)
    request.send_header("Content-Type", "text/event-stream")
    request.end_headers()
    told = {"choices": [{"index": 0, "delta": {"content": "y" * 20000, "reasoning": "x" * 20000}}],
            "usage": {"prompt_tokens": 700, "completion_tokens": 10000}}
    request.wfile.write(("data: %s\n\n" % json.dumps(told)).encode())
    request.wfile.flush()
    log.write("asked\n"); log.flush()
    return None
serve(answer)
EOS
used() { # OUT JQ
	test "$(jq "$2" "$tmp/$1/used.json" 2>/dev/null)" = true
}
sit() { # SIGNAL OUT CODE UNTIL ARGS...: a sitting that a signal ends
	sent=$1 which=$2 code=$3 until=$4
	shift 4
	"$kf" run --out "$tmp/$which" --base-url "http://$(address slow server)" "$@" >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	await used "$which" "$until"
	await test -s "$tmp/slow.asked"
	kill -s "$sent" "$pid"
	got=0
	wait "$pid" || got=$?
	check "$which: SIG$sent: exit $code" test "$got" = "$code"
}
asked() { # OUT TIMES
	check "$1: asked $2 times" test "$(wc -l <"$tmp/slow.asked")" = "$2"
}
serve_answers slow "$tmp/slow.py" "$tmp/slow.asked"
set -- --ops relu --model m --no-naive --jobs 1
for how in 'TERM 3' 'KILL 137'; do
	: >"$tmp/slow.asked"
	name=cut${how% *}
	sit "${how% *}" "$name" "${how#* }" '.tokens > 10000' "$@" --max-tokens 9000
	check "${how% *}: what was asked and answered is kept" used "$name" '.tokens > 10500 and .tokens < 12000 and .ms > 0'
	exits 1 "$kf" run --resume --out "$tmp/$name" --base-url "http://$(address slow server)"
	ended "$name" budget_tokens 'its budget of tokens was used up' 1 0
	asked "$name" 1
done
check "the trace says why it was not asked again" test "$(jq -r 'select(.name == "model.attempt") | .decision // .attributes.decision' "$tmp/cutTERM/trace.jsonl")" = 'the run was asked to stop'
: >"$tmp/slow.asked"
sit TERM money 3 '.tokens > 10000' "$@" --max-usd 0.01 --price 1,1
check "money: dollars are kept" used money '.usd > 0.0105 and .usd < 0.012'
exits 1 "$kf" run --resume --out "$tmp/money" --base-url "http://$(address slow server)"
asked money 1

: >"$tmp/slow.asked"
sit KILL minutes 137 '.ms > 1000' "$@" --max-minutes 1
# As if it had been killed after a minute.
jq '.ms = 60000' "$tmp/minutes/used.json" >"$tmp/used"
cp "$tmp/used" "$tmp/minutes/used.json"
exits 1 "$kf" run --resume --out "$tmp/minutes" --base-url "http://$(address slow server)"
ended minutes budget_minutes 'its budget of minutes was used up' 1 0
asked minutes 1
check "minutes: they add up" used minutes '.ms > 60000'

# A used.json that cannot be written: nothing is asked that could not be
# counted.  One that is damaged, or gone, is told, and made of what is known.
: >"$tmp/slow.asked"
mkdir -p "$tmp/unkept/used.json"
exits 3 "$kf" run --out "$tmp/unkept" --base-url "http://$(address slow server)" "$@" --max-tokens 9000
check "what cannot be kept is told once" test "$(grep -c 'used.json' "$tmp/err")" = 1
asked unkept 0
for how in 'rm' 'truncate -s 9' 'sed -i s/tokens/takens/'; do
	rm -rf "$tmp/damaged"
	cp -r "$tmp/two" "$tmp/damaged"
	jq '.exit = null | .ended = null | del(.anchors)' "$tmp/two/run.json" >"$tmp/damaged/run.json"
	$how "$tmp/damaged/used.json"
	exits 1 "$kf" run --resume --out "$tmp/damaged" --base-url "http://$(address slow server)"
	check "$how: it is told" test "$(grep -c 'used.json.*counted again from the records ([1-9].* tokens' "$tmp/err")" = 1
	check "$how: what the records say is kept" test "$(jq .tokens "$tmp/damaged/used.json")" = "$(jq .tokens "$tmp/two/used.json")"
done
asked damaged 0
stop slow

# Money that is none is bad use.
for words in '--max-usd x' '--max-usd -1' '--max-usd 0' '--price 1' '--price 1,x' '--price 1,nan' '--breaker none' '--max-iterations 0'; do
	# shellcheck disable=SC2086
	run 2 bad --ops rope --model small $words
	check "$words: one line" test "$(wc -l <"$tmp/err")" = 1
done
