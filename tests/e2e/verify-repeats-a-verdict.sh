# A verdict can be repeated: from the seed that it prints, and from the ledger
# of a run that revealed it; the cases are the same.  What cannot be judged is
# an object all the same where one is asked for.
. tests/lib.sh
need jq
kf=$BIN/kernelforge
bad=tests/corpus/bad/swiglu_stride_is_cols.cl
# The shapes that only the secret seed knows.
shapes() { jq -c '[.cases[] | select(.passed | not) | {name, shape, index, got, expected}]' "$1"; }

exits 1 "$kf" verify swiglu "$bad" --json
cp "$tmp/out" "$tmp/first.json"
seed=$(jq -r .seed_reveal "$tmp/out")
exits 1 "$kf" verify swiglu "$bad" --json --seed "$seed"
check "the same cases fail, of the same shapes" test "$(shapes "$tmp/out")" = "$(shapes "$tmp/first.json")"
check "some case failed" test "$(shapes "$tmp/out")" != '[]'
check "seed and nonce are told apart" test "$(jq -r '.seed + .nonce' "$tmp/out")" = "$seed"
exits 1 "$kf" verify swiglu "$bad" --json
check "another seed has other shapes" test "$(shapes "$tmp/out")" != "$(shapes "$tmp/first.json")"
exits 1 "$kf" verify swiglu "$bad" --seed "$(printf %.64s "$seed")"
check "a person is told the shape" grep -q 'rows=.*out_stride=' "$tmp/out"
check "and how to see it again" grep -q -- '--seed ' "$tmp/out"
exits 1 "$kf" verify swiglu tests/corpus/bad/swiglu_read_stride_is_cols.cl
check "and the element" grep -q 'row [0-9]*, column [0-9]* is .*, expected ' "$tmp/out"

cat >"$tmp/scenario.json" <<EOF
{"chaos": 1, "name": "repeat", "seed": "5",
 "proxies": {"models": {"listen": "127.0.0.1:0", "mode": "script", "answers": "$PWD/tests/data/agent/resume/"}},
 "agent": {"ops": ["rope"], "profile": "demo", "deadline_ms": 1200}}
EOF
start chaos "$BIN"/kf-chaos --scenario "$tmp/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
exits 0 "$kf" run --scenario "$tmp/scenario.json" --gateway "http://$(address chaos models)" --out "$tmp/run"
exits 1 "$kf" verify --from "$tmp/run" --op rope --iteration 1 --json
check "the seed is the one that was revealed" \
    test "$(jq -r .seed_reveal "$tmp/out")" = "$(jq -r 'select(.seed_reveal and .iteration == 1).seed_reveal' "$tmp/run/ledger.jsonl" | tail -n 1)"
exits 0 "$kf" verify rope "$tmp/run/kernels/rope/2.cl" --from "$tmp/run/ledger.jsonl" --json
exits 0 "$kf" verify --from "$tmp/run/ledger.jsonl" --op rope
exits 2 "$kf" verify --from "$tmp/run" --op rope --iteration 9
check "an attempt that is not there is named" grep -q 'iteration 9' "$tmp/err"
exits 2 "$kf" verify --from "$tmp/run" --op swiglu

stop chaos

# An answer without header comments: the run's file has them, and is no other
# kernel for that; with another size in them it is.
mkdir -p "$tmp/answers/m"
jq -n --arg source '__kernel void k(const __global KF_T *x, __global KF_T *out, uint rows, uint cols, uint x_stride, uint out_stride) {
size_t i = get_global_id(0), r = i / cols, c = i % cols;
if (i >= (size_t)rows * cols) return;
float v = kf_load(x, r * x_stride + c);
kf_store(out, r * out_stride + c, v < 0.0f ? 0.0f : v); }' \
    '{$source, entry: "k", global_size: ["round_up(rows * cols, 64)"], local_size: ["64"]}' >"$tmp/answers/m/relu.txt"
jq '.name = "bare" | .proxies.models.answers = $answers | .agent.ops = ["relu"]' --arg answers "$tmp/answers/" "$tmp/scenario.json" >"$tmp/bare.json"
rm -f "$tmp/chaos.ready"
start chaos "$BIN"/kf-chaos --scenario "$tmp/bare.json" --admin 127.0.0.1:0 --log "$tmp/bare.jsonl"
exits 0 "$kf" run --ops relu --no-naive --model m --base-url "http://$(address chaos models)" --out "$tmp/bare"
exits 0 "$kf" verify --from "$tmp/bare" --op relu
cp "$tmp/bare/kernels/relu/1.cl" "$tmp/copy.cl"
exits 0 "$kf" verify relu "$tmp/copy.cl" --from "$tmp/bare"
lacks "a copy is the source that was judged" -q 'not the source' "$tmp/err"
sed -i 's/rows \* cols, 64/rows * cols, 128/' "$tmp/bare/kernels/relu/1.cl"
exits 1 "$kf" verify --from "$tmp/bare" --op relu
check "it is another kernel" grep -q 'it was changed' "$tmp/err"
rm "$tmp/bare/kernels/relu/1.json"
cp "$tmp/copy.cl" "$tmp/bare/kernels/relu/1.cl"
exits 1 "$kf" verify --from "$tmp/bare" --op relu

exits 2 "$kf" verify swiglu "$bad" --seed abc
check "a short seed is told" grep -q 'expected 64 hexadecimal digits' "$tmp/err"
exits 2 "$kf" verify swiglu "$bad" --seed "$seed" --from "$tmp/run"
exits 2 "$kf" verify swiglu
printf '__kernel void k() {}\n' >"$tmp/bare.cl"
exits 2 "$kf" verify swiglu "$tmp/bare.cl" --json
check "a file that is refused unread is an object" \
    jq -e '.verdict == "refused" and (.message | contains("entry"))' "$tmp/out" >/dev/null
exits 2 "$kf" verify swiglu "$tmp/none.cl" --json
check "so is one that is not there" jq -e '.verdict == "refused" and .seed == null' "$tmp/out" >/dev/null

exits 0 "$kf" verify silu tests/corpus/good/silu_macros.cl --json
check "what it needs is said" jq -e '.needs == {"local_size": 64, "local_bytes": 0, "extensions": []}' "$tmp/out" >/dev/null
exits 0 "$kf" ops rope
check "an operator by itself" grep -q 'positions' "$tmp/out"
exits 2 "$kf" ops nothing
