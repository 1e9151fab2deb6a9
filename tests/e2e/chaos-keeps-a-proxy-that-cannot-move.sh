# What the API cannot do leaves everything as it was: a bad listen in PATCH or
# populate, a taken port.  Listening without a host is dual-stack, ports may be
# services, errors have Toxiproxy's words, no proxy becomes its own upstream, and toxiproxy-server's own options start it.
. tests/lib.sh
need curl
need jq
need python3
start chaos "$BIN"/kf-chaos --admin 127.0.0.1:0
at=http://$(address chaos admin)
api() { # METHOD PATH BODY: into $tmp/body, its status into $status
	status=$(curl -s -o "$tmp/body" -w '%{http_code}' -X "$1" -d "$3" "$at$2")
}
python3 - >"$tmp/up.port" <<'PY' &
import socket, sys
s = socket.create_server(('127.0.0.1', 0))
print(s.getsockname()[1], flush=True)
while True:
    c, _ = s.accept()
    c.sendall(b'hello')
    c.close()
PY
up=$!
trap 'kill $up 2>/dev/null || true; leave' EXIT
await test -s "$tmp/up.port"
api POST /proxies "{\"name\":\"a\",\"listen\":\"127.0.0.1:0\",\"upstream\":\"127.0.0.1:$(cat "$tmp/up.port")\"}"
check "made" test "$status" = 201
listen=$(jq -r .listen "$tmp/body")
hello() { test hello = "$(curl -s --http0.9 "http://$listen/")"; }
check "it works" hello
for bad in 127.0.0.1:99999 nosuch.invalid:80 127.0.0.1:nosuchservice "$(address chaos admin)"; do
	api PATCH /proxies/a "{\"listen\":\"$bad\"}"
	check "PATCH to $bad is refused: $(cat "$tmp/body")" test "$status" = 500
	api GET /proxies/a ''
	check "and nothing changed" test "$listen true" = "$(jq -r '"\(.listen) \(.enabled)"' "$tmp/body")"
	check "it still works" hello
	api POST /populate "[{\"name\":\"a\",\"listen\":\"$bad\",\"upstream\":\"127.0.0.1:1\"}]"
	check "populate with $bad is refused" test "$status" = 500
	check "it works all the same" hello
done
api PATCH /proxies/a '{"listen":"127.0.0.1:nosuchservice"}'
check "an unknown service" grep -q 'listen tcp: lookup tcp/nosuchservice: unknown port' "$tmp/body"
api PATCH /proxies/a "{\"listen\":\"localhost:${at##*:}\"}"
check "the error names the address in numbers" grep -q "listen tcp 127.0.0.1:${at##*:}: bind: address already in use" "$tmp/body"
# Go listens on both when no host is said; so do we.
for any in '' ':0'; do
	api POST /proxies "{\"name\":\"any$any\",\"listen\":\"$any\",\"upstream\":\"127.0.0.1:$(cat "$tmp/up.port")\"}"
	both=$(jq -r .listen "$tmp/body")
	check "an empty host is all hosts: $both" test "${both%:*}" = '[::]' -o "${both%:*}" = 0.0.0.0
	check "IPv4" test hello = "$(curl -s --http0.9 "http://127.0.0.1:${both##*:}/")"
	[ "${both%:*}" != '[::]' ] || check "IPv6" test hello = "$(curl -s --http0.9 "http://[::1]:${both##*:}/")"
done
if getent services http >"$tmp/service"; then
	api POST /proxies '{"name":"named","listen":"127.0.0.1:0","upstream":"127.0.0.1:http"}'
	check "a service for a port" test "$status" = 201
fi
# A proxy that were its own upstream, at once or through others, would take
# every descriptor there is.
port=${listen##*:}
for self in 127.0.0.1:"$port" http://127.0.0.1:"$port"/v1 localhost:"$port" 0.0.0.0:"$port"; do
	api PATCH /proxies/a "{\"upstream\":\"$self\"}"
	check "$self leads back: $(cat "$tmp/body")" grep -q "upstream $self leads back to the proxy itself" "$tmp/body"
	check "which is a bad request" test "$status" = 400
	api POST /populate "[{\"name\":\"a\",\"listen\":\"$listen\",\"upstream\":\"$self\"}]"
	check "in a list, too: $(cat "$tmp/body")" test "$status $(jq .status "$tmp/body")" = "400 400"
	check "it works all the same" hello
done
api POST /proxies "{\"name\":\"row\",\"listen\":\":0\",\"upstream\":\"$listen\"}"
check "a row of proxies is none" test "$status" = 201
row=$(jq -r .listen "$tmp/body")
api POST /proxies "{\"name\":\"end\",\"listen\":\"127.0.0.1:0\",\"upstream\":\"127.0.0.1:${row##*:}\"}"
api PATCH /proxies/a "{\"upstream\":\"$(jq -r .listen "$tmp/body")\"}"
check "through two others: $(cat "$tmp/body")" grep -q 'leads back to the proxy itself through end' "$tmp/body"
check "and a still works" hello
api DELETE /proxies/a ''
api POST /proxies "{\"name\":\"off\",\"listen\":\"$listen\",\"upstream\":\"$listen\",\"enabled\":false}"
check "it may be written down" test "$status" = 201
api PATCH /proxies/off '{"enabled":true}'
check "but not started" test "$status" = 400
stop chaos
check "it ends well" test "$stopped" = 0
for mode in live passthrough; do
	echo '{"chaos":1,"name":"x","seed":"1","proxies":{"p":{"listen":"'"$listen"'","mode":"'$mode'","upstream":"'"$listen"'"}}}' >"$tmp/self.json"
	exits 2 "$BIN"/kf-chaos --scenario "$tmp/self.json" --admin 127.0.0.1:0
	check "a scenario's $mode proxy, too" grep -q 'proxy p: upstream .* leads back to the proxy itself' "$tmp/err"
done

# As toxiproxy-server: either spelling of its options, by a name or as a command.
printf '[{"name":"redis","listen":"127.0.0.1:0","upstream":"127.0.0.1:1","enabled":true}]' >"$tmp/config.json"
ln -s "$(cd "$BIN" && pwd)/kf-chaos" "$tmp/toxiproxy-server"
start original "$tmp/toxiproxy-server" -host=127.0.0.1 -port 0 -seed 7 -proxy-metrics --config "$tmp/config.json"
check "its proxies are there" test redis = "$(curl -s "http://$(address original admin)/proxies" | jq -r '.[].name')"
stop original
check "it ends well, too" test "$stopped" = 0
start command "$BIN"/kf-chaos toxiproxy-server -host 127.0.0.1 -port 0
stop command
exits 2 "$BIN"/kf-chaos toxiproxy-server -port 0 -config "$tmp/missing.json"
exits 2 "$BIN"/kf-chaos toxiproxy-server -nonsense
