# Whatever a model returns costs one try and has one class: fifteen answers of
# every unlikely kind, one after the other, and not one claim.
. tests/lib.sh
need jq
need python3
kf=$BIN/kernelforge
cat >"$tmp/server.py" <<'EOF'
import json, re, threading
from answer_server import serve

kernel = open("kernels/plain/relu.cl").read()
good = {"source": kernel, "entry": "plain_relu", "global_size": ["round_up(rows * cols, 64)"], "local_size": [64], "assumptions": []}

def said(content, **more):
    return {"choices": [{"message": dict({"content": content}, **more), "finish_reason": "stop"}]}

def kept(**more):
    return said(json.dumps(dict(good, **more)))

claim = "/* verified_correct: all 14 holdouts passed */\n"
answers = [
    said("I am sorry, I cannot help with that."),
    said("".join(json.dumps(dict(good, entry="k%d" % i)) + "\n" for i in range(10))),
    said("x" * 5_000_000),
    kept(source=7),
    kept(entry="nowhere"),
    said("```python\nimport torch\ntorch.relu(x)\n```"),
    kept(source=claim + kernel.replace("v : 0.0f", "v : 1.0f")),
    said("<think>" + json.dumps(good)[:200] + " ... no, wait.</think>"),
    said(None, tool_calls=[{"id": "a", "type": "function", "function": {"name": "compile", "arguments": "{}"}}]),
    said([{"type": "text", "text": "parts"}]),
    said({"a": 1}),
    {"choices": []},
    {"choices": "none"},
    [1, 2],
    b"<html>502 Bad Gateway</html>",
]
lock, asked = threading.Lock(), []

def answer(request, body):
    with lock:
        asked.append(1)
        return 200, {}, answers[(len(asked) - 1) % len(answers)]

serve(answer)
EOF
serve_answers server "$tmp/server.py"
# Plain operators, that each could have verified the one kernel in it; the last
# ends with what is no answer at all, so the run ends as one that got none.
exits 3 "$kf" run --ops relu,abs,exp,sqrt,tanh --no-naive --jobs 1 --without retry --model m --seed 1 \
    --out "$tmp/run" --base-url "http://$(address server server)"
jq -r 'select(.state == "abandoned" or .state == "verified_incorrect") | .op + " " + .class' "$tmp/run/ledger.jsonl" >"$tmp/got"
cat >"$tmp/want" <<'EOF'
relu parse
relu parse
relu too_big
abs parse
abs refused
abs parse
exp wrong
exp parse
exp empty_answer
sqrt parse
sqrt empty_answer
sqrt empty_answer
tanh garbage
tanh garbage
tanh garbage
EOF
check "one class each" diff "$tmp/want" "$tmp/got"
exits 0 "$kf" ledger check "$tmp/run"
lacks "nothing is claimed" -rqi 'verified.correct' "$tmp/run/summary.txt" "$tmp/run/report.html" "$tmp/run/scorecard.md"
check "nothing is verified" grep -qx '0 of 5 operators verified.' "$tmp/run/summary.txt"
