# An unmodified toxiproxy-node-client drives the proxy; each toxic does to bytes
# and clock what Toxiproxy's manual says; API errors are its errors.
. tests/lib.sh
need node
need curl
need_npm_clients
start chaos "$BIN"/kf-chaos --admin 127.0.0.1:0
at=http://$(address chaos admin)
own_ports
(cd tests/clients && timeout 60 node toxiproxy.mjs "$at" "$port") >"$tmp/out" 2>"$tmp/client.err" || fail "the client's calls all work"
(cd tests/clients && timeout 60 node toxics.mjs "$at") >"$tmp/out" 2>"$tmp/client.err" || fail "the toxics do what they say"

says() { # STATUS BODY METHOD PATH [DATA]
	want=$(printf '%s\n%s' "$1" "$2")
	got=$(curl -s -w '\n%{http_code}' -X "$3" ${5+-d "$5"} "$at$4" |
	    awk '{ l[NR] = $0 } END { print l[NR]; for (i = 1; i < NR; i++) print l[i] }')
	check "$3 $4 ${5-}: want $want, got $got" test "$got" = "$want"
}
curl -s -X DELETE "$at/proxies/p"
says 200 '{}' GET /proxies
says 200 '{"version": "2.12.0"}' GET /version
says 404 '{"error":"proxy not found","status":404}' GET /proxies/x
says 400 '{"error":"missing required field: name","status":400}' POST /proxies '{}'
says 400 '{"error":"missing required field: upstream","status":400}' POST /proxies '{"name":"x"}'
says 201 '{"name":"x","listen":"127.0.0.1:0","upstream":"127.0.0.1:1","enabled":false,"Logger":{},"toxics":[]}' \
    POST /proxies '{"NAME":"x","Listen":"127.0.0.1:0","upstream":"127.0.0.1:1","enabled":false,"other":1,"toxics":null}'
says 409 '{"error":"proxy already exists","status":409}' POST /proxies '{"name":"x","upstream":"127.0.0.1:1"}'
says 404 '{"error":"toxic not found","status":404}' GET /proxies/x/toxics/t
says 400 '{"error":"invalid toxic type","status":400}' POST /proxies/x/toxics '{"type":"magic"}'
says 400 '{"error":"stream was invalid, can be either upstream or downstream","status":400}' \
    POST /proxies/x/toxics '{"type":"noop","stream":"sideways"}'
check "1.5 for an integer is a bad body" test 400 = "$(curl -s -o "$tmp/body" -w '%{http_code}' \
    -d '{"type":"latency","attributes":{"latency":1.5}}' "$at/proxies/x/toxics")"
check "and says so" grep -q '^{"error":"bad request body: ' "$tmp/body"
says 200 '{"attributes":{"jitter":0,"latency":7},"name":"latency_downstream","type":"latency","stream":"downstream","toxicity":1}' \
    POST /proxies/x/toxics '{"type":"latency","attributes":{"latency":7}}'
says 409 '{"error":"toxic already exists","status":409}' POST /proxies/x/toxics '{"type":"noop","name":"latency_downstream"}'
says 200 '{"attributes":{"jitter":3,"latency":7},"name":"latency_downstream","type":"latency","stream":"downstream","toxicity":1}' \
    PATCH /proxies/x/toxics/latency_downstream '{"attributes":{"jitter":3}}'
says 400 '{"error":"missing required field: name at proxy 2","status":400,"proxies":[]}' \
    POST /populate '[{"name":"y","upstream":"127.0.0.1:1"},{}]'
says 201 '{"proxies":[]}' POST /populate '[]'
says 404 '404 page not found' GET /nothing
says 405 '' DELETE /version
says 204 '' POST /reset
says 204 '' DELETE /proxies/x
check "browsers are refused" test 403 = "$(curl -s -A 'Mozilla/5.0' -o "$tmp/body" -w '%{http_code}' "$at/proxies")"
check "with Toxiproxy's words" test "$(cat "$tmp/body")" = 'User agent not allowed'
check "a taken port is a 500" test 500 = "$(curl -s -o "$tmp/body" -w '%{http_code}' \
    -d "{\"name\":\"z\",\"upstream\":\"127.0.0.1:1\",\"listen\":\"$(address chaos admin)\"}" "$at/proxies")"
stop chaos
check "it ends well" test "$stopped" -eq 0
