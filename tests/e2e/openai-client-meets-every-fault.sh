# What npm's openai makes of every fault is what docs/chaos.md says it makes.
. tests/lib.sh
need node
need_npm_clients
# Under it is Node's own fetch, which gives other answers before 20.
node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' ||
    { echo "the page's table is of Node.js 20 or newer"; exit 77; }
start up node tests/clients/upstream.mjs
node tests/clients/faults.mjs scenario "http://$(address up upstream)" >"$tmp/s.json"
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0
node tests/clients/faults.mjs table "$(address chaos front)" >"$tmp/table"
sed -n '/^| fault | asked | requests | npm/,/^$/p' docs/chaos.md | sed '/^$/d' >"$tmp/said"
check "the page holds the table: $(diff "$tmp/said" "$tmp/table" | head -n 20)" cmp -s "$tmp/said" "$tmp/table"
