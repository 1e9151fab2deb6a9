# Nobody without a key has a body read, keeps others out or comes in by a reload;
# where no key is asked for, no web page and no foreign Host comes in.
. tests/lib.sh
need curl
need node
gw="$BIN"/kf-gateway
KF_TEST_ANN=sesame
export KF_TEST_ANN
keys='keys: [{key_env: KF_TEST_ANN, subject: "user:ann"}]'
conf() { # LINES...
	{
		echo 'providers: [{name: p, base_url: "http://127.0.0.1:9", models: [m], passthrough: ["*"]}]'; echo 'breaker: off'
		for line; do echo "$line"; done
	} >"$tmp/conf.yaml"
}
status() { curl -s -m 10 -o "$tmp/answer" -D "$tmp/head" -w '%{http_code}' "$@"; }
says() { # WHAT STATUS CURL-ARGS...
	what=$1 want=$2
	shift 2
	got=$(status "$@")
	check "$what: $got" [ "$got" = "$want" ]
}

# A reload obeys the rule of the start.
conf "$keys"
start far "$gw" --config "$tmp/conf.yaml" --listen 0.0.0.0:0 --admin 127.0.0.1:0 --log "$tmp/far.jsonl"
far=http://127.0.0.1:$(address far gateway | sed 's/.*://') admin=http://$(address far admin)
says "no key" 401 "$far/v1/models"
conf
kill -HUP "$(cat "$tmp/far.pid")"
await_in "$tmp/far.err" grep -q 'kept the old one: beyond this machine keys are required' "$tmp/far.err"
says "still no key" 401 "$far/v1/models"
says "nor by the verb" 400 -X POST "$admin/reload"
says "still no key" 401 "$far/v1/models"
# All or nothing: the log cannot be opened again, so nothing changes.
conf "$keys" "prices: [{target: p/m, input: 1, output: 1}]" "hosts: [other]"
rm "$tmp/far.jsonl" && mkdir "$tmp/far.jsonl"
says "a log that is gone" 400 -X POST "$admin/reload"
check "names it" grep -q far.jsonl "$tmp/answer"
rmdir "$tmp/far.jsonl"
says "a log that can be made" 200 -X POST "$admin/reload"
check "for its owner only" [ "$(stat -c %a "$tmp/far.jsonl")" = 600 ]
for key in x-api-key api-key; do says "the key as $key" 200 -H "$key: sesame" "$far/v1/models"; done
says "the first place counts" 401 -H 'Authorization: Bearer no' -H 'x-api-key: sesame' "$far/v1/models"
curl -s -m 10 "$admin/metrics" | sed -n 's/^kf_gateway_requests_total{class="4xx"} //p' >"$tmp/count"
says "one more" 401 "$far/v1/models"
says "and one" 404 -H 'api-key: sesame' "$far/nowhere%41"
says "and one" 405 -H 'api-key: sesame' "$far/v1/chat/completions"
check "refusals are counted" [ "$(curl -s -m 10 "$admin/metrics" | sed -n 's/^kf_gateway_requests_total{class="4xx"} //p')" = $(($(cat "$tmp/count") + 3)) ]
stop far

# Before the body, and total times; strangers keep nobody out.
conf "$keys" 'limits: {connections: 20, client_body_ms: 5000, client_body_total_ms: 400}'
start door "$gw" --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
door=$(address door gateway)
check "a wrong key is told before a byte of the body" [ "$(node tests/clients/door.mjs "$door" unread wrong 8000000)" = 401 ]
check "twenty strangers keep no acquaintance out" [ "$(timeout 20 node tests/clients/door.mjs "$door" crowd 20 sesame)" = 200 ]
check "a trickled body ends" [ "$(timeout 20 node tests/clients/door.mjs "$door" trickle sesame 4000)" = '408 in time' ]
stop door

# Nor where there are fewer descriptors than the configuration asks for.
conf "$keys"
for limit in 24 64; do
	start few sh -c 'ulimit -n "$0"; exec "$@"' $limit "$gw" --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
	check "the limit is told" grep -q 'connections: 16384, but this process may have descriptors for [1-9][0-9]*: raise' "$tmp/few.err"
	check "100 strangers keep nobody out of $limit" [ "$(timeout 20 node tests/clients/door.mjs "$(address few gateway)" crowd 100 sesame "$(address few admin)")" = '200 200' ]
	stop few
done

# A door of this machine that asks for no key.
conf 'hosts: [gw.example]' 'origins: ["https://app.example"]'
start open "$gw" --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
port=$(address open gateway | sed 's/.*://') open=http://$(address open gateway) admin=http://$(address open admin)
ask() { says "$1" "$2" -d '{"model":"p/m"}' "$open/v1/chat/completions" -H "$3" ${4+-H "$4"}; }
for host in localhost "localhost:$port" 127.0.0.1 127.9.9.9 '[::1]' app.localhost gw.example "GW.example:$port"; do
	ask "as $host" 502 "Host: $host"
done
for host in evil.example 10.0.0.1 localhost.evil.example 127.0.0.1.evil.example 0.0.0.0 ::1 notlocalhost; do
	ask "as $host" 403 "Host: $host"
done
# Of an absolute target its own host counts, and not what Host says.
for at in "$open/v1/models" "$admin/status"; do
	says "a foreign target" 403 --request-target "http://evil.example/${at#http://*/}" -H 'Host: localhost' "$at"
	says "a target of our own" 200 --request-target "http://localhost/${at#http://*/}" -H 'Host: evil.example' "$at"
done
says "a page" 403 -H "Host: evil.example" -X POST "$admin/reload"
for page in https://evil.example null http://localhost:3000 "http://127.0.0.1" "https://app.example:8443" http://app.example; do
	ask "from $page" 403 'X: y' "Origin: $page"
	says "the admin from $page" 403 -H "Origin: $page" -X POST "$admin/reload"
done
ask "from itself" 502 'X: y' "Origin: $open"
ask "a page that is named" 502 'X: y' 'Origin: https://app.example'
says "the admin from it" 403 -H 'Origin: https://app.example' -X POST "$admin/reload"
says "nor asks there whether it may" 403 -X OPTIONS -H 'Origin: https://app.example' -H 'Access-Control-Request-Method: POST' "$admin/reload"
says "the status page asks" 200 -H "Origin: $admin" -H 'Sec-Fetch-Site: same-origin' -X POST "$admin/reload"
ask "a page that is named, again" 502 'X: y' 'Origin: https://app.example'
says "one and another" 403 -H 'Origin: https://app.example' -H 'Origin: https://evil.example' "$open/v1/models"
says "a site and another" 403 -H 'Sec-Fetch-Site: none' -H 'Sec-Fetch-Site: cross-site' "$open/v1/models"
ask "a page that is named, once more" 502 'X: y' 'Origin: https://app.example'
check "may read it" grep -qi '^access-control-allow-origin: https://app.example' "$tmp/head"
for site in cross-site same-site; do says "$site" 403 -H "Sec-Fetch-Site: $site" "$open/v1/models"; done
says "typed by its user" 200 -H "Sec-Fetch-Site: none" "$open/v1/models"
says "a preflight" 204 -X OPTIONS -H 'Origin: https://app.example' -H 'Access-Control-Request-Method: POST' -H 'Access-Control-Request-Headers: authorization,x-a' "$open/v1/chat/completions"
check "says what may be sent" grep -qi '^access-control-allow-headers: authorization,x-a' "$tmp/head"
says "one with a body" 405 -X OPTIONS -d x -H 'Origin: https://app.example' -H 'Access-Control-Request-Method: POST' "$open/v1/chat/completions"
says "of another" 403 -X OPTIONS -H 'Origin: https://evil.example' -H 'Access-Control-Request-Method: POST' "$open/v1/chat/completions"
# Whatever prefix a path has, it does not reach chat past its bill.
for odd in /v1/v1/chat/completions /x/chat/completions /v1/x/Chat/Completions/ /v1/x/ch%61t/completions /v1/x/%63hat%2fcompletions "/v1/x/chat/completions;a=b" /x/chat/completions%20 /v1/v1/messages /v1/responses/x /v1/x/Embeddings; do
	says "$odd" 404 --path-as-is -d '{}' "$open$odd"
done
for method in PUT PATCH GET; do says "$method" 404 -X $method -d '{}' "$open/v1/v1/messages"; done
says "a stored answer may be looked at" 502 "$open/v1/responses/resp_1"
stop open
for bad in 'origins: ["*"]' 'origins: [https://a.example/]' 'origins: [a.example]'; do
	conf "$bad"
	exits 2 "$gw" check "$tmp/conf.yaml"
done

# A log whose reader has stopped reading stops nobody.
mkfifo "$tmp/pipe"
conf
start piped "$gw" --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --log "$tmp/pipe"
piped=http://$(address piped gateway)
for i in 1 2 3 4 5 6; do printf 'url = "%s/v1/files/%s"\noutput = /dev/null\nnext\n' "$piped" "$(printf "%07000d" $i)"; done >"$tmp/six"
for i in 1 2 3 4 5 6 7 8 9 10; do cat "$tmp/six"; done | sed '$d' >"$tmp/sixty"
check "sixty long lines into a full pipe" curl -s -m 20 -K "$tmp/sixty"
says "and it lives" 200 "http://$(address piped admin)/healthz"
stop piped
check "and stops" [ "$stopped" = 0 ]
