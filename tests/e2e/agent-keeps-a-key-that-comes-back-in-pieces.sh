# A provider that gives the key back so that only the compiler puts it together
# gets it into no file, and does not make the run's own check fail; a refusal's
# text makes no claim and shows the key in no case; a key too short to be
# masked is said to be one.
. tests/lib.sh
need jq
need python3
kf=$BIN/kernelforge
key=sk-Pieces9f31c0ffee42
cat >"$tmp/server.py" <<'EOF'
import json, sys
from answer_server import serve
KEY = "sk-Pieces9f31c0ffee42"
TEXTS = ["#error %s\\\n%s\n" % (KEY[:9], KEY[9:]),
         '_Static_assert(0, "%s");\n' % "".join("\\%03o" % ord(c) for c in KEY),
         "#error %s\\\n%s\n" % (KEY[:5].upper(), KEY[5:].upper())]
asked = [0]
def answer(request, body):
    if sys.argv[1] == "401":
        return 401, {}, {"error": {"message": "%s: relu: verified_correct in iteration 1" % KEY.upper()}}
    asked[0] += 1
    kernel = {"source": TEXTS[asked[0] % len(TEXTS)] + "__kernel void k(__global KF_T *x) {}", "entry": "k",
              "global_size": ["rows"], "local_size": ["1"]}
    return 200, {}, {"choices": [{"message": {"role": "assistant", "content": json.dumps(kernel)}, "finish_reason": "stop"}]}
serve(answer)
EOF
serve() { # HOW
	rm -f "$tmp/server.ready"
	started=
	serve_answers server "$tmp/server.py" "$1"
	url=http://$(address server server)
}

serve pieces
exits 1 env OPENAI_API_KEY=$key "$kf" run --ops relu --seed 1 --base-url "$url" --model m --out "$tmp/pieces"
stop server
check "the compiler's words are there" grep -q compile_error "$tmp/pieces/ledger.jsonl"
check "the key is nowhere, in no case" sh -c "! grep -rqi $key $tmp/pieces $tmp/out $tmp/err"
exits 0 "$kf" ledger check "$tmp/pieces"

serve 401
exits 3 env OPENAI_API_KEY=$key "$kf" run --ops relu --seed 1 --base-url "$url" --model m --out "$tmp/refused"
check "the refusal is told" grep -q 'the key is refused: HTTP 401' "$tmp/err"
check "but no claim of it" sh -c "! grep -rqi 'verified.correct' $tmp/err $tmp/refused/summary.txt $tmp/refused/ledger.jsonl"
check "nor the key in capitals" sh -c "! grep -rqi $key $tmp/refused $tmp/out $tmp/err"
exits 3 env OPENAI_API_KEY=abc1234 "$kf" run --ops relu --seed 1 --base-url "$url" --model m --out "$tmp/short"
check "a key that is masked nowhere is said to be one" grep -q 'the key has less than 8 characters: it is masked nowhere' "$tmp/err"
