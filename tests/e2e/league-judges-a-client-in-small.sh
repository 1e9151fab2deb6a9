# The league in small: one client of the lockfile that the tests have, a few faults,
# and the page and the heat map that are made of it.
. tests/lib.sh
need node
need_npm_clients
league=tests/clients/league
for mode in chat stream tools; do
	case $mode in
	chat) only='--case http_error:503 --case body:a-page-for-a-body' ;;
	stream) only='--case sse_cut:cut-clean-end --case sse_mangle:an-event-that-is-no-json' ;;
	tools) only='--case llm_tool_args:cut-tool-arguments --case llm_invented_tool:a-tool-that-nobody-offered' ;;
	esac
	mkdir -p "$tmp/runs"
	# The program of the newest openai finds the one of the tests where its own is not installed.
	# shellcheck disable=SC2086
	exits 0 "$BIN"/kf-chaos audit --jobs 2 $only --json "$tmp/runs/openai-7-$mode.json" -- node $league/openai-7/client.mjs $mode
done
check "a cut stream is exposed" grep -q '"handling": "exposed"' "$tmp/runs/openai-7-stream.json"
check "cut arguments are raised, by the program" grep -q 'program: SyntaxError' "$tmp/runs/openai-7-tools.json"
node $league/league.mjs page "$tmp/runs" "$tmp" || fail "a page"
check "the page ranks it" grep -q '^| openai-7 | openai [0-9.]* | 0 | 0 | 0 | 6 of 6 | nothing |' "$tmp/league.md"
check "the heat map is a picture" grep -q '<rect .*fill="#2e7d32"' "$tmp/league.svg"
