# The inspector, which is the protocol's own command line, lists and calls every
# tool in both eras, over standard input and HTTP, and finds no fault in a schema.
. tests/lib.sh
need jq
need_mcp_tools
mkdir "$tmp/runs" "$tmp/home"
start server "$BIN"/kernelforge mcp --http 127.0.0.1:0 --runs "$tmp/runs"
inspect() { # ERA METHOD...
	era=$1
	shift
	HOME=$tmp/home "$node22" tests/clients/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js --cli \
	    $target --protocol-era "$era" --format json --quiet "$@" >"$tmp/said" 2>"$tmp/said.err" || fail "$era $*: $(tail -n 3 "$tmp/said.err")"
}
call() { # ERA TOOL ARGUMENTS JQ
	inspect "$1" --method tools/call --tool-name "$2" --tool-args-json "$3"
	check "$1: $2" is -e ".. | .structuredContent? // empty | $4" "$tmp/said"
}
is() { jq "$@" >/dev/null; }
kernel() { jq -n --rawfile source "$1" '{op: "relu", $source}'; }
right=$(kernel kernels/plain/relu.cl)
for era in legacy modern; do
	target="--server-url http://$(address server mcp)/mcp --transport http"
	inspect "$era" --method tools/list --strict
	check "$era: six tools" is -e '[.. | .tools? // empty][0] | length == 6' "$tmp/said"
	call "$era" list_ops '{}' '.ops | length == 20'
	call "$era" get_contract '{"op": "rope"}' '.op == "rope"'
	call "$era" compile_kernel "$right" '.verdict == "compiled"'
	call "$era" get_ledger '{}' '.runs == []'
	target="$BIN/kernelforge mcp"
	call "$era" get_contract '{"op": "relu"}' '.op == "relu"'
done
call modern verify_kernel "$right" '.verdict == "verified_correct"'
target="--server-url http://$(address server mcp)/mcp --transport http"
call legacy verify_kernel "$right" '.verdict == "verified_correct"'
bench=$(printf '%s' "$right" | jq -c '. + {size: "rows=64,cols=64"}')
call legacy bench_kernel "$bench" '.verdict == "verified_correct" and (.sizes | length == 1)'
call modern bench_kernel "$bench" '.sizes | length == 1'
