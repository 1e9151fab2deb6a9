# Without a rule the proxy is not seen: an upstream that closes its kept
# connections after 20 ms gives as many empty replies as without it (none), a
# HEAD has its Content-Length, and a proxy whose new address cannot be had
# stays at its old one.
. tests/lib.sh
need node
need jq
start up node tests/clients/closing.mjs upstream
up=$(address up upstream)
cat >"$tmp/s.json" <<S
{"chaos":1,"name":"nothing","seed":"1","proxies":{"front":{"listen":"127.0.0.1:0","upstream":"$up"}},
 "rules":[{"id":"star","match":{"op":"*"},"when":{"always":true},"fault":{"type":"refuse"}}]}
S
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0
front=$(address chaos front) at=http://$(address chaos admin)
direct=$(node tests/clients/closing.mjs ask "$up") || fail "the client asks the upstream itself"
through=$(node tests/clients/closing.mjs ask "$front") || fail "the client asks through the proxy"
check "direct: $direct, through the proxy: $through" test "$direct" = "$through"
curl -s -I "http://$front/file" >"$tmp/head"
check "HEAD has the length of what GET brings: $(cat "$tmp/head")" grep -q -i '^content-length: 1234' "$tmp/head"

curl -s -d "{\"name\":\"p\",\"listen\":\"127.0.0.1:0\",\"upstream\":\"$up\"}" "$at/proxies" >"$tmp/p"
listen=$(jq -r .listen "$tmp/p")
stays() { # WHAT
	curl -s "$at/proxies/p" >"$tmp/now"
	check "$1: the proxy is as it was: $(cat "$tmp/now")" jq -e --arg l "$listen" '.listen == $l and .enabled' "$tmp/now" >"$tmp/ok"
	check "$1: and answers" test 200 = "$(curl -s -o "$tmp/body" -w '%{http_code}' -d '{}' "http://$listen/v1/x")"
}
for bad in "$up" 127.0.0.1:notaport no-such-host.invalid:1 nonsense; do
	check "PATCH listen $bad" test 500 = "$(curl -s -X PATCH -o "$tmp/body" -w '%{http_code}' -d "{\"listen\":\"$bad\"}" "$at/proxies/p")"
	stays "PATCH listen $bad"
	check "populate $bad" test 500 = "$(curl -s -o "$tmp/body" -w '%{http_code}' -d "[{\"name\":\"p\",\"listen\":\"$bad\",\"upstream\":\"$up\"}]" "$at/populate")"
	stays "populate $bad"
done
curl -s -X PATCH -d '{"listen":"127.0.0.1:0"}' "$at/proxies/p" >"$tmp/now"
check "a good one moves it" jq -e --arg l "$listen" '.listen != $l and .enabled' "$tmp/now" >"$tmp/ok"
listen=$(jq -r .listen "$tmp/now")
stays "moved"
curl -s -d '{"type":"reset_peer","attributes":{"timeout":0}}' "$at/proxies/p/toxics" >"$tmp/body"
# Reset at once, a quarter are accepted in time to be seen; a client that its
# machine keeps waiting misses a few however long the reset is held back.
accepted=$(node tests/clients/closing.mjs dial "$listen")
check "reset_peer 0 accepts before it resets: $accepted of 60" test "$accepted" -ge 40
