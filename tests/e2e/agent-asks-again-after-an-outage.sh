# Where a provider answers no question, a run of one operator ends as one of
# many does: exit 3, nothing closed for good, its words on the screen; the run is
# gone on with where it can be asked again, and then claims what it proves.  What
# was answered is judged, and not asked again.
. tests/lib.sh
need jq
need python3
kf=$BIN/kernelforge
cat >"$tmp/server.py" <<'EOF'
import json, sys
from answer_server import serve
log = open(sys.argv[2], "a")
VALUE = {"relu": "v < 0.0f ? 0.0f : v", "abs": "fabs(v)"}
def kernel(op):
    source = """__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride) {
 size_t i = get_global_id(0), r = i / cols, c = i %% cols;
 if (i >= (size_t)rows * cols) return;
 float v = kf_load(x, r * x_stride + c);
 kf_store(out, r * out_stride + c, %s);
}""" % VALUE[op]
    return json.dumps({"source": source, "entry": "k", "global_size": ["round_up(rows * cols, 64)"], "local_size": [64], "assumptions": []})
def answer(request, body):
    about = json.loads(request.headers["X-TFY-METADATA"])
    mode = open(sys.argv[1]).read().split()
    log.write("%s %s %s\n" % (about["op"], about["iteration"], json.loads(body)["model"])); log.flush()
    if mode[0] == "wrong":
        mode = ["503"] if about["iteration"] != "1" else mode
    if mode[0].isdigit():
        return int(mode[0]), {}, {"error": {"message": "model m not found, try pulling it"}}
    text = kernel("abs" if mode[0] == "wrong" else about["op"])
    return 200, {}, {"choices": [{"index": 0, "message": {"content": text}, "finish_reason": "stop"}]}
serve(answer)
EOF
serve_answers server "$tmp/server.py" "$tmp/mode" "$tmp/asked"
url=http://$(address server server)
run() { # CODE OUT MODE ARGS...
	code=$1 out=$tmp/$2
	echo "$3" >"$tmp/mode"
	: >"$tmp/asked"
	shift 3
	exits "$code" "$kf" run --out "$out" --base-url "$url" "$@"
}
new="--model m --no-naive --seed 1 --jobs 1 --without retry"
shown() { tail -n "$(wc -l <"$out/summary.txt")" "$tmp/out" | cmp - "$out/summary.txt"; }
ended() { jq -r 'select(.closed) | .ended' "$out/ledger.jsonl" | tail -n 1; }

# shellcheck disable=SC2086 # words
run 3 alone 503 --ops relu $new
check "three tries" test "$(wc -l <"$tmp/asked")" = 3
check "the ledger says why it ended" test "$(ended)" = unanswered
check "what to do next is told" grep -q -e '--resume' "$tmp/err"
check "the error is told" grep -q "1 of 1 operators ended without an answer to their last question; relu: HTTP 503, in the server's words" "$tmp/err"
check "the final answer is on the screen" shown
check "with the server's words" grep -q "^    failure: HTTP 503, in the server's words: \"model m not found" "$tmp/out"
check "and why it ended" grep -q 'ended before its time: the last question of an operator got no answer' "$tmp/out"
exits 0 "$kf" ledger check "$out"
run 3 alone 503 --resume
check "it is asked again, as often as before" test "$(wc -l <"$tmp/asked")" = 3
run 0 alone good --resume
check "and again, of the model that comes first" test "$(cat "$tmp/asked")" = "relu 7 m"
check "it is verified" grep -q '^relu: verified_correct in iteration 7' "$tmp/out"
exits 0 "$kf" ledger check "$out"
run 0 alone 503 --resume
check "what is proved is not asked again" test ! -s "$tmp/asked"

# An answer that was judged counts; the tries behind it are given again.
# shellcheck disable=SC2086
run 3 judged wrong --ops relu,abs $new --escalation e
check "three tries" test "$(grep -c relu "$tmp/asked")" = 3
run 0 judged good --resume
check "only what was lost is asked" test "$(cat "$tmp/asked")" = "relu 4 e"
exits 0 "$kf" ledger check "$out"

# One that opens the breaker in the end loses none of them either.
# shellcheck disable=SC2086
run 3 many 503 --ops relu,abs $new --breaker demo --without escalation
check "no model could be asked" test "$(ended)" = model_down
run 0 many good --resume
check "both are verified" grep -q '^2 of 2 operators verified' "$tmp/out"
exits 0 "$kf" ledger check "$out"

# A model that is not there is there for no question.
# shellcheck disable=SC2086
run 3 nobody 404 --ops relu,abs $new
check "it is asked once" test "$(wc -l <"$tmp/asked")" = 1
check "it says so, with the server's words" grep -q "the model or the address is not there: HTTP 404, in the server's words: \"model m not found, try pulling it\"" "$tmp/err"
check "the final answer is on the screen" shown
run 0 nobody good --resume
exits 0 "$kf" ledger check "$out"

# What was never asked is lost to nobody, and the comparison says why.
# shellcheck disable=SC2086
run 3 never 404 --ops relu,abs $new
exits 1 "$kf" compare "$tmp/nobody" "$tmp/never"
lacks "no pair of it" -q 'relu' "$tmp/out"
check "it says so" grep -q 'never: the run ended before its time: no model could be asked any more' "$tmp/err"
