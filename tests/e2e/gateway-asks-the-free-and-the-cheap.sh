# least-busy-routing asks the target with fewer requests under way first, and
# lowest-cost-routing the cheaper one; one without a price comes last.
. tests/lib.sh
need curl
need node
# One that takes a request and never answers.
cat >"$tmp/mute.mjs" <<'END'
import http from 'node:http';
import fs from 'node:fs';
const server = http.createServer(() => fs.writeFileSync(`${process.argv[3]}.asked`, ''));
server.listen(0, '127.0.0.1', () => { fs.writeFileSync(process.argv[3], `ready mute=127.0.0.1:${server.address().port}\n`); console.log('ready mute'); });
END
start mute node "$tmp/mute.mjs"
cat >"$tmp/g.yaml" <<END
providers:
  - {name: mute, base_url: "http://$(address mute mute)"}
  - {name: dead, base_url: "http://127.0.0.1:9"}
breaker: off
prices: [{target: dead/dear, input: 2, output: 4}, {target: dead/cheap, input: 1, output: 2}]
rules:
  - {id: busy, type: least-busy-routing, when: {models: [busy]}, load_balance_targets: [{target: mute/m, retry_config: {attempts: 0}}, {target: dead/m, retry_config: {attempts: 0}, fallback_status_codes: ["500"]}]}
  - {id: cheap, type: lowest-cost-routing, when: {models: [cheap]}, load_balance_targets: [{target: dead/unknown}, {target: dead/dear}, {target: dead/cheap}]}
END
start gateway "$BIN"/kf-gateway --config "$tmp/g.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
url=http://$(address gateway gateway)/v1/chat/completions
attempts() { # MODEL CURL-ARGS...: the targets that were asked, in order
	model=$1
	shift
	curl -s -m 10 -o /dev/null -D - "$@" -d "{\"model\":\"$model\",\"messages\":[]}" "$url" |
	    tr -d '\r' | sed -n 's/^x-kf-attempts: //ip' | tr ',' '\n' | sed 's/^ *//; s/;.*//' | uniq | tr '\n' ' '
}
got=$(attempts cheap)
check "the cheap one first: $got" test "$got" = "dead/cheap dead/dear dead/unknown "
curl -s -m 30 -o /dev/null -d '{"model":"mute/m","messages":[]}' "$url" &
waiting=$!
await test -e "$tmp/mute.ready.asked"
for i in 1 2 3 4 5; do
	got=$(attempts busy -H 'x-tfy-request-timeout: 400')
	check "the free one first: $got" test "${got%% *}" = dead/m
done
kill $waiting
stop gateway
check "the gateway exits 0" test "$stopped" = 0
