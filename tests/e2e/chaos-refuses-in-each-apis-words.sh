# A quota that is used up is told in the words of the API that was asked, with
# its headers about limits; a cassette holds a status 999 and a second pass.
. tests/lib.sh
need curl
need jq
need node
chaos="$BIN"/kf-chaos
cat >"$tmp/s.json" <<'S'
{"chaos":1,"name":"quota","seed":"1","proxies":{"front":{"listen":"127.0.0.1:0","mode":"standin"}},
 "rules":[{"id":"often","match":{"header":{"x-how":"often"}},"when":{"always":true},"fault":{"type":"quota","requests":1,"calls":2}},
          {"id":"ever","match":{"header":{"x-how":"ever"}},"when":{"always":true},"fault":{"type":"quota","requests":1}}]}
S
start chaos "$chaos" --scenario "$tmp/s.json" --admin 127.0.0.1:0
front=http://$(address chaos front)
# Of two calls of one key one is refused: its head and body.
refusal() { # HOW PATH
	for i in 1 2; do
		code=$(curl -s -m 10 -o "$tmp/answer" -D "$tmp/head" -w '%{http_code}' -H "x-how: $1" -d '{"model":"m","messages":[{"role":"user","content":"'"$1"'"}]}' "$front$2")
		[ "$code" != 429 ] || return 0
	done
	fail "$2 was not refused"
}
says() { # HOW PATH JQ [HEADER]
	refusal "$1" "$2"
	check "$1 $2: $(cat "$tmp/answer")" jq -e "$3" "$tmp/answer" >"$tmp/ok"
	[ -z "${4:-}" ] || check "$2 has $4: $(cat "$tmp/head")" grep -qi "^$4" "$tmp/head"
}
says often /v1/chat/completions '.error.code == "rate_limit_exceeded"' 'x-ratelimit-remaining-requests: 0'
says often /v1/responses '.error.code == "rate_limit_exceeded"' 'retry-after: 1'
says often /v1/messages '.type == "error" and .error.type == "rate_limit_error"' 'anthropic-ratelimit-requests-remaining: 0'
says often /v1beta/models/m:generateContent '.error.status == "RESOURCE_EXHAUSTED" and .error.details[0].retryDelay == "1s"'
says often /api/chat '.error | type == "string"'
says ever /v1/chat/completions '.error.code == "insufficient_quota"'
check "what never comes back has no time: $(cat "$tmp/head")" sh -c '! grep -qi "^retry-after" "$1"' - "$tmp/head"
says ever /v1/messages '.error.type == "rate_limit_error"'
stop chaos

# A status that nobody knows, recorded and played again, and again with loop.
cat >"$tmp/odd.mjs" <<'N'
import fs from "node:fs";
import net from "node:net";
const server = net.createServer((s) => s.on("error", () => {}).once("data", () => s.end("HTTP/1.1 999 Odd\r\nContent-Length: 3\r\n\r\nodd")));
server.listen(0, "127.0.0.1", () => {
	const line = `ready upstream=127.0.0.1:${server.address().port}\n`;
	fs.writeFileSync(process.argv[3], line);
	process.stdout.write(line);
});
N
start odd node "$tmp/odd.mjs"
mode() { # NAME REST
	echo '{"chaos":1,"name":"c","seed":"1","proxies":{"p":{"listen":"127.0.0.1:0","cassette":"tape.jsonl",'"$2"'}}}' >"$tmp/$1.json"
	start "$1" "$chaos" --scenario "$tmp/$1.json" --admin 127.0.0.1:0
}
status() { curl -s -m 10 -o "$tmp/answer" -w '%{http_code}' "http://$(address "$1" p)/x"; }
mode tape '"mode":"record","upstream":"'"$(address odd upstream)"'"'
check "999 passes" test 999 = "$(status tape)"
stop tape
mode once '"mode":"replay","timing":"fast"'
check "999 is played" test 999 = "$(status once)"
check "once" test 404 = "$(status once)"
stop once
mode again '"mode":"replay","timing":"fast","loop":true'
check "with loop" test 999999999 = "$(status again)$(status again)$(status again)"
stop again
