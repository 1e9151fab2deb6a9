# The example agents, in Python and in Node without a package, break no rule
# under any fault that reaches them; their tests pass, and fail without a
# fault; the naive one is caught.
. tests/lib.sh
need python3
need node
unset OPENAI_API_KEY
# A busy machine keeps an agent from reading for more than a second.
export AGENT_SILENCE_S=3
for agent in 'python3 examples/agent/agent.py' 'node examples/agent/agent.mjs'; do
	got=0
	"$BIN"/kf-chaos audit --jobs 8 --only body --only 429 --only 529 --only sse_cut --only llm_ --only stall --only linger \
	    --json "$tmp/audit.json" -- $agent >"$tmp/table" 2>"$tmp/audit.err" || got=$?
	check "$agent: exit $got: $(cat "$tmp/table")" [ $got = 0 ]
	check "$agent: faults were met" [ "$(grep -c ' ok ' "$tmp/table")" -ge 14 ]
done
check "the naive one is caught" exits 1 "$BIN"/kf-chaos audit --only 503 -- python3 examples/agent/naive.py

export KF_CHAOS="$BIN"/kf-chaos
python3 -B -m unittest discover examples/agent >"$tmp/out" 2>&1 || fail "unittest: $(cat "$tmp/out")"
node --test examples/agent/ >"$tmp/out" 2>&1 || fail "node --test: $(cat "$tmp/out")"
# A storm that never comes is a failure, not a pass.
cp -R examples/agent "$tmp/calm"
sed -i 's/"attempt": 2/"attempt": 7/' "$tmp/calm/storm.json"
check "unittest tells a storm that was not met" exits 1 python3 -B -m unittest discover "$tmp/calm"
check "node --test too" exits 1 node --test "$tmp/calm/"
