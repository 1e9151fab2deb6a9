# Several keys of a provider are one target: they are taken in turn, one that the
# provider refuses is left alone for a while, and no breaker hears of it.
. tests/lib.sh
need curl
need node
need jq
cat >"$tmp/up.mjs" <<'END'
import http from 'node:http';
import fs from 'node:fs';
const said = { 'sk-gone-0001': 401, 'sk-spent-0001': 429, one: 200, two: 200 };
const server = http.createServer((req, res) => {
  const key = req.headers.authorization.slice(7), status = said[key];
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(status === 200 ? { choices: [{ message: { content: key }, finish_reason: 'stop' }] }
    : { error: { message: `no ${key} of yours`, code: key === 'sk-spent-0001' ? 'insufficient_quota' : 'invalid_api_key' } }));
});
server.listen(0, '127.0.0.1', () => { fs.writeFileSync(process.argv[3], `ready up=127.0.0.1:${server.address().port}\n`); console.log('ready up'); });
END
start up node "$tmp/up.mjs"
GONE=sk-gone-0001 SPENT=sk-spent-0001 ONE=one TWO=two
export GONE SPENT ONE TWO
cat >"$tmp/g.yaml" <<END
providers:
  - {name: up, base_url: "http://$(address up up)", api_key_env: [GONE, ONE, SPENT, TWO]}
  - {name: poor, base_url: "http://$(address up up)", api_key_env: [GONE, SPENT]}
END
start gateway "$BIN"/kf-gateway --config "$tmp/g.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$tmp/log.jsonl"
url=http://$(address gateway gateway)/v1/chat/completions
ask() { # MODEL: the status and the key that answered
	curl -s -m 10 -w ' %{http_code}\n' -d "{\"model\":\"$1\",\"messages\":[]}" "$url" | sed 's/.*"content":"\([a-z]*\)".* /\1 /; s/^{.* //'
}
got=$(for i in 1 2 3 4 5 6; do ask up/m; done | tr '\n' ' ')
check "good keys answer all, in turn: $got" test "$got" = "one 200 two 200 one 200 two 200 one 200 two 200 "
check "bad ones are asked with once each" test 2 = "$(jq -s '[.[].attempts[] | select(.cause != "ok")] | length' "$tmp/log.jsonl")"
for i in 1 2 3 4; do got=$(ask poor/m); done
check "where none is good the provider's word is passed on: $got" test "${got#* }" = 429 -o "${got#* }" = 401
check "keys are in no log" test 0 = "$(grep -cE 'sk-' "$tmp/log.jsonl")"
said=$(curl -s -m 10 -d '{"model":"poor/m","messages":[]}' "$url")
check "nor in what a provider quotes: $said" test "${said#*no \*\*\*\*}" != "$said" -a "${said#*sk-}" = "$said"
stop gateway
check "the gateway exits 0" test "$stopped" = 0
