# Bad options, an unknown scenario and a folder in use get one line and exit 2.
. tests/lib.sh
exits 2 ./run_demo.sh --nope
exits 2 ./run_demo.sh --scenario nowhere
check "the line names the scenario" grep -q 'scenarios/nowhere/scenario.json: no such scenario' "$tmp/err"
exits 2 ./run_demo.sh --repeat 0
mkdir "$tmp/used" && : >"$tmp/used/ledger.jsonl"
exits 2 ./run_demo.sh --out "$tmp/used"
check "the line names the folder" grep -q "$tmp/used: holds a run already" "$tmp/err"
exits 0 ./run_demo.sh --help
