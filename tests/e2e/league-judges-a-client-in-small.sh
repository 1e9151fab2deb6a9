# The league in small: one client of the lockfile that the tests have, a few faults,
# and the page and the heat map that are made of it.
. tests/lib.sh
need node
need_npm_clients
league=tests/clients/league
mkdir -p "$tmp/runs"
for mode in chat stream tools; do
	case $mode in
	chat) only='--case http_error:503 --case body:a-page-for-a-body' ;;
	stream) only='--case sse_cut:cut-clean-end --case sse_mangle:an-event-that-is-no-json' ;;
	tools) only='--case llm_tool_args:cut-tool-arguments --case llm_invented_tool:a-tool-that-nobody-offered' ;;
	esac
	for manner in text bare strict; do
		case $mode-$manner in chat-* | stream-bare) code=1 ;; *) code=0 ;; esac
		# The program of the newest openai finds the one of the tests where its own is not installed.
		# shellcheck disable=SC2086
		exits $code "$BIN"/kf-chaos audit --jobs 2 $only --json "$tmp/runs/openai-7-$mode-$manner.json" -- node $league/openai-7/client.mjs $mode $manner
	done
done
check "a cut stream is exposed" grep -q '"handling": "exposed"' "$tmp/runs/openai-7-stream-text.json"
check "cut arguments are raised, by the program" grep -q 'program: SyntaxError' "$tmp/runs/openai-7-tools-text.json"
node $league/league.mjs page "$tmp/runs" "$tmp" || fail "a page"
check "the page ranks it" grep -q '^| openai-7 | openai [0-9.]* | 1 | 0 | 0 | 5 of 6 | body: a page for a body: accepted a garbled answer |' "$tmp/league.md"
check "a cut stream is noticed by the strict" grep -q '^| sse_cut: cut, clean end | strict |' "$tmp/league.md"
check "an event that is no JSON is by the library" grep -q '^| sse_mangle: an event that is no JSON | bare |' "$tmp/league.md"
check "the finding has its command" grep -q "^- \*\*openai-7.*handed over as one.*kf-chaos audit --case body:a-page-for-a-body" "$tmp/league.md"
check "the heat map is a picture" grep -q '<rect .*fill="#2e7d32"' "$tmp/league.svg"
node $league/league.mjs again "$tmp/runs" openai-7 || fail "once more"
node $league/league.mjs page "$tmp/runs" "$tmp"
check "what was repeated is counted" grep -q '^| bare | 2 | 2 | 0 | 0 |' "$tmp/league.md"
