# Paths that the configuration lets through reach the provider untouched, with
# its key and the stamp on the answer; others, and disguised ones, do not.
. tests/lib.sh
need curl
need node
need jq
start rude node tests/clients/rude.mjs
KF_TEST_PROVIDER=provider-key KF_TEST_ANN=ann
export KF_TEST_PROVIDER KF_TEST_ANN
cat >"$tmp/conf.yaml" <<END
providers:
  - {name: p, base_url: "http://$(address rude rude)/base", api_key_env: KF_TEST_PROVIDER, passthrough: [/moderations, /files*, /cut, /gone], forward_headers: [x-mi*]}
  - {name: q, base_url: "http://$(address rude rude)", api_key_env: KF_TEST_PROVIDER, auth: {query: key}, passthrough: [/q]}
  - {name: h, base_url: "http://$(address rude rude)", api_key_env: KF_TEST_PROVIDER, auth: {header: X-Goog-Api-Key}, forward_headers: ["x-*"], passthrough: [/h]}
  - {name: dead, base_url: "http://127.0.0.1:9", passthrough: [/dead]}
keys: [{key_env: KF_TEST_ANN, subject: "user:ann"}]
---
type: gateway-rate-limiting-config
rules: [{id: eleven, limit_to: 11, unit: requests_per_day}]
END
start gateway "$BIN"/kf-gateway --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$tmp/log.jsonl"
url=http://$(address gateway gateway)
ask() { # PATH CURL-ARGS...: the status in $status, the body in $tmp/answer
	path=$1
	shift
	status=$(curl -s -m 10 --path-as-is -o "$tmp/answer" -D "$tmp/head" -w '%{http_code}' -H 'Authorization: Bearer ann' "$@" "$url$path") || true
}
gives() { check "$path gives $1: $status" [ "$status" = "$1" ]; }
stamped() { check "$path is stamped" grep -qi '^x-local-gateway: yes' "$tmp/head"; }

ask '/v1/moderations?x=1' -H 'Content-Type: text/odd' -H 'X-Mine: 7' -H 'X-Other: 8' -d '{ "model":"m",  "x":[1]}'
gives 200
stamped
check "once only" [ "$(grep -ci '^x-local-gateway' "$tmp/head")" = 1 ]
check "their headers come back" grep -qi '^x-theirs: yes' "$tmp/head"
lacks "but not what another gateway says of itself" -i '^x-kf-' "$tmp/head"
check "as it came ($(cat "$tmp/answer"))" jq -e '.method == "POST" and .target == "/base/moderations?x=1" and .body == "{ \"model\":\"m\",  \"x\":[1]}"
    and .headers["content-type"] == "text/odd" and .headers["x-mine"] == "7" and (.headers | has("x-other") | not) and .headers.authorization == "Bearer ************"' "$tmp/answer" >"$tmp/out"
ask /api/llm/files/a%20b -X DELETE
gives 200
check "any method, any prefix" jq -e '.method == "DELETE" and .target == "/base/files/a%20b" and (.headers | has("content-length") | not)' "$tmp/answer" >"$tmp/out"
ask '/q?a=1'
check "a key in the query" jq -e '.target == "/q?a=1&key=************" and (.headers | has("authorization") | not)' "$tmp/answer" >"$tmp/out"
check "is not in a redirection: $(grep -i '^location' "$tmp/head")" [ "$(grep -ic '^location: .*key=\*\*\*' "$tmp/head")" = 1 ]
check "is not in the log" [ "$(grep -c provider-key "$tmp/log.jsonl")" = 0 ]
ask /h -H 'x-goog-api-key: mine'
check "a key in a header of theirs" jq -e '.headers["x-goog-api-key"] == "************" and (.headers | has("authorization") | not)' "$tmp/answer" >"$tmp/out"
ask /files -I
gives 200
for odd in /other /moderations/x /files/../admin /files/%2e%2e/admin /files//x /v1; do
	ask "$odd"
	gives 404
	stamped
done
ask /v1/chat/completions
gives 405
ask /dead
gives 502
stamped
check "says why" grep -q '"code":"refused"' "$tmp/answer"
ask /gone
gives 502
rc=0
curl -s -m 10 -o /dev/null -H 'Authorization: Bearer ann' "$url/cut" || rc=$?
check "a cut answer is cut ($rc)" [ "$rc" != 0 ]
check "no key, no way" [ "$(curl -s -m 10 -o /dev/null -w '%{http_code}' "$url/moderations")" = 401 ]
ask /moderations
ask /moderations
ask /moderations
gives 200
ask /moderations
gives 429
stamped
check "and until when" grep -qi '^retry-after: [1-9]' "$tmp/head"
check "tomorrow is too far away" grep -qi '^x-should-retry: false' "$tmp/head"
stop gateway
check "it stops well" [ "$stopped" = 0 ]
check "each is in the log" [ "$(jq -c 'select(.path == "/base/moderations?x=1" and .provider == "p" and .status == 200 and .outcome == "ok")' "$tmp/log.jsonl" | wc -l)" = 1 ]
check "and no key is" [ "$(grep -c 'provider-key\|Bearer' "$tmp/log.jsonl")" = 0 ]
sed -i 's|/moderations,|moderations,|' "$tmp/conf.yaml"
exits 2 "$BIN"/kf-gateway check "$tmp/conf.yaml"
check "a path begins with a slash" grep -q 'found moderations, expected a path' "$tmp/err"
