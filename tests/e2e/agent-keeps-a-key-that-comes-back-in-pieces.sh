# A provider that gives the key back so that only the compiler puts it together
# gets it into no file, and does not make the run's own check fail; a refusal's
# text makes no claim, stands as the server's words, and shows the key in no
# case; wherever a text is cut, no part of the key is left; a key that is masked
# nowhere, for it is short or a word of a kernel, is said to be one; and an
# option that holds the key is refused.
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
PLAIN = """__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride) {
 size_t i = get_global_id(0), r = i / cols, c = i % cols;
 if (i >= (size_t)rows * cols) return;
 float v = kf_load(x, r * x_stride + c);
 kf_store(out, r * out_stride + c, v < 0.0f ? 0.0f : v);
}"""
def cut(how):
    asked[0] += 1
    padded = "p" * (int(sys.argv[2]) + 20 * asked[0]) + KEY
    error = {"error": {"message": padded, "type": padded, "code": padded}}
    if how in ("400", "401"):
        return int(how), {"x-request-id": padded, "x-tfy-resolved-model": padded}, error
    return 200, {"Content-Type": "text/event-stream"}, ("data: %s\n\n" % json.dumps(error)).encode()
def answer(request, body):
    if sys.argv[1] == "401":
        return 401, {}, {"error": {"message": "%s: relu: verified_correct in iteration 1" % KEY.upper()}}
    if sys.argv[1] in ("cut401", "cut400", "cutsse"):
        return cut(sys.argv[1][3:])
    asked[0] += 1
    if sys.argv[1] == "part":
        kernel = {"source": "// %s\n%s\n// PLACE\n" % (KEY[1:], PLAIN), "entry": "k", "assumptions": ["PLACE, " + KEY[:-1]],
                  "global_size": ["round_up(rows*cols,64)"], "local_size": ["64"]}
        text = json.dumps(kernel).replace("PLACE", "".join("\\u%04x" % ord(c) for c in KEY[3:]))
        if asked[0] == 1:
            text = text.replace("kf_store", "f_store")
        if asked[0] == 2:
            text = "I will not. Your key is " + KEY[:20]
        return 200, {}, {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}
    if sys.argv[1] == "word":
        kernel = {"source": PLAIN, "entry": "k", "global_size": ["round_up(rows*cols,64)"], "local_size": ["64"]}
        return 200, {}, {"choices": [{"message": {"role": "assistant", "content": json.dumps(kernel)}, "finish_reason": "stop"}]}
    if sys.argv[1] == "paste":
        half = "p" * (int(sys.argv[2]) + 19 * asked[0]) + KEY[:9].replace("-", "_")
        TEXTS[:] = ["#define CAT(a, b) a##b\nint z = CAT(%s, %s);\n" % (half, KEY[9:])]
    kernel = {"source": TEXTS[asked[0] % len(TEXTS)] + "__kernel void k(__global KF_T *x) {}", "entry": "k",
              "global_size": ["rows"], "local_size": ["1"]}
    return 200, {}, {"choices": [{"message": {"role": "assistant", "content": json.dumps(kernel)}, "finish_reason": "stop"}]}
serve(answer)
EOF
serve() { # HOW...
	rm -f "$tmp/server.ready"
	started=
	serve_answers server "$tmp/server.py" "$@"
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
check "the refusal is told, its text as the server's" grep -q "the key is refused: HTTP 401, in the server's words: \"" "$tmp/err"
check "but no claim of it" sh -c "! grep -rqi 'verified.correct' $tmp/err $tmp/refused/summary.txt $tmp/refused/ledger.jsonl"
check "nor the key in capitals" sh -c "! grep -rqi $key $tmp/refused $tmp/out $tmp/err"
exits 3 env OPENAI_API_KEY=abc1234 "$kf" run --ops relu --seed 1 --base-url "$url" --model m --out "$tmp/short"
check "a key that is masked nowhere is said to be one" grep -q 'the key has less than 8 characters, or could be a word of a kernel: it is masked nowhere' "$tmp/err"
stop server

# Nine letters of the key in a row are found in nothing that was written.
for way in '3 cut401' '3 cut400' '3 cutsse' '1 paste'; do
	want=${way% *} way=${way#* }
	for first in 110 116 420 426 446; do
		case $way-$first in cut*-4?? | paste-1??) continue ;; esac
		serve "$way" $first
		exits "$want" env OPENAI_API_KEY=$key "$kf" run --ops relu --no-naive --seed 1 --without retry --base-url "$url" --model m --out "$tmp/$way-$first"
		stop server
		lacks "$way-$first: no part of the key is left" -rqi "$(echo $key | cut -c4-13)\|$(echo $key | cut -c1-9)\|$(echo $key | cut -c9-18)" "$tmp/$way-$first" "$tmp/out" "$tmp/err"
		check "$way-$first: it was there" grep -rq 'pppp[*]*' "$tmp/$way-$first" "$tmp/err"
	done
done

# Nor are they in answers, which are kept, shown and sent back, escaped or not.
serve part
exits 0 env OPENAI_API_KEY=$key "$kf" run --ops relu --no-naive --seed 1 --base-url "$url" --model m --out "$tmp/part"
stop server
lacks "no part of the key is left of answers" -rqi "$(echo $key | cut -c4-13)\|$(echo $key | cut -c1-9)\|$(echo $key | cut -c9-18)" "$tmp/part" "$tmp/out" "$tmp/err"
check "the answers are there" grep -q 'Your key is [*]' "$tmp/part/ledger.jsonl" "$tmp"/part/kernels/relu/*.json
exits 0 "$kf" ledger check "$tmp/part"

# A word of OpenCL C as a key: kernels stay what they are.
serve word
exits 0 env OPENAI_API_KEY=get_global_id "$kf" run --ops relu --no-naive --seed 1 --base-url "$url" --model m --out "$tmp/word"
check "it is said to be masked nowhere" grep -q 'could be a word of a kernel: it is masked nowhere' "$tmp/err"
exits 0 "$kf" ledger check "$tmp/word"
exits 0 env OPENAI_API_KEY=sk-get_global_id "$kf" run --ops relu --no-naive --seed 1 --base-url "$url" --model m --out "$tmp/within"
check "a word within a key stays" grep -q get_global_id "$tmp/within/kernels/relu/1.cl"
exits 2 env OPENAI_API_KEY=$key "$kf" run --ops relu --seed 1 --base-url "$url" --model $key --out "$tmp/named"
check "one line" test "$(wc -l <"$tmp/err")" = 1
check "which option it is" grep -q -e '--model: holds a key or a password' "$tmp/err"
check "nothing is written" test ! -e "$tmp/named"
