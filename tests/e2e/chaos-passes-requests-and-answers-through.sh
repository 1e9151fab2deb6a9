# Live mode: bodies, headers and streams pass both ways, headers of one hop do
# not, a dead upstream is a 502, and a decision does not depend on how many
# clients ask at once.
. tests/lib.sh
need curl
mkdir -p "$tmp/answers"
printf 'hello' >"$tmp/answers/talk.txt"
cat >"$tmp/models.json" <<'JSON'
{"chaos":1,"name":"models","seed":"1",
 "proxies":{"models":{"listen":"127.0.0.1:0","mode":"script","answers":"answers"}}}
JSON
cat >"$tmp/s.json" <<'JSON'
{"chaos":1,"name":"live","seed":"5",
 "proxies":{"front":{"listen":"127.0.0.1:0","upstream":"models"},
  "dead":{"listen":"127.0.0.1:0","upstream":"127.0.0.1:1"}},
 "rules":[{"id":"storm","proxy":"front","match":{"path":"/storm/*"},"when":{"p":0.3},
  "fault":{"type":"http_error","status":429,"retry_after":"2"},"goal":"fired>=1"}]}
JSON
start models "$BIN"/kf-chaos --scenario "$tmp/models.json" --admin 127.0.0.1:0
ask='{"model":"m","messages":[]}'
run() { # NAME CONNECTIONS
	start "$1" "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 \
	    --log "$tmp/$1.log" --upstream models="$(address models models)"
	at=$(address "$1" front)
	i=0
	while [ $i -lt 200 ]; do
		i=$((i + 1))
		printf 'url = "http://%s/storm/chat/completions"\nheader = "x-session-id: s%d"\n' "$at" $i
		printf 'header = "X-TFY-METADATA: op=talk"\ndata = "{\\"model\\":\\"m\\",\\"messages\\":[]}"\noutput = "/dev/null"\n'
		[ $i -eq 200 ] || echo next
	done >"$tmp/$1.curl"
	curl -s -Z --no-progress-meter --parallel-max "$2" -K "$tmp/$1.curl"
	stop "$1"
	check "its goal is met" test "$stopped" -eq 0
}
run one 1
run many 50
hash=$(grep run_hash "$tmp/one.out")
check "a run hash" test -n "$hash"
check "some of 200 fired" test "$(wc -l <"$tmp/one.log")" -gt 30
check "the same run hash at 1 and at 50 connections" grep -qx "$hash" "$tmp/many.out"

start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 \
    --upstream models=@"$tmp/models.ready"
front=$(address chaos front)
for path in models chat/completions; do
	for base in "$front" "$(address models models)"; do
		data=
		[ $path = models ] || data="-d $ask"
		# shellcheck disable=SC2086
		curl -s -i -H 'X-TFY-METADATA: op=talk' -H 'x-session-id: z' $data \
		    "http://$base/v1/$path" | sed -e '/^Date:/d' -e 's/chatcmpl-[0-9a-f]*/ID/' >"$tmp/${base##*:}"
	done
	check "$path is the same through the proxy" cmp "$tmp/${front##*:}" "$tmp/${base##*:}"
done
check "a dead upstream is a 502" test 502 = \
    "$(curl -s -o "$tmp/body" -w '%{http_code}' "http://$(address chaos dead)/v1/models")"
check "with an OpenAI error body" grep -q '^{"error":{"message":' "$tmp/body"

sed 's/"name":"live"/"name":"live","stealth":false/; s/"p":0.3/"always":true/' "$tmp/s.json" >"$tmp/open.json"
start open "$BIN"/kf-chaos --scenario "$tmp/open.json" --admin 127.0.0.1:0 \
    --upstream models=@"$tmp/models.ready"
curl -s -i -d "$ask" "http://$(address open front)/storm/x" >"$tmp/body"
check "without stealth the rule is named" grep -qi '^x-chaos-fault: storm' "$tmp/body"

# What cannot pass is said, once each; a body that is too big gets the limit told.
python3 - >"$tmp/odd.port" <<'PY' &
import socket
s = socket.create_server(('127.0.0.1', 0))
print(s.getsockname()[1], flush=True)
while True:
    c, _ = s.accept()
    d = b''
    while b'\r\n\r\n' not in d: d += c.recv(65536)
    import re
    left = int((re.search(rb'(?i)content-length: (\d+)', d) or [0, 0])[1]) - len(d.split(b'\r\n\r\n', 1)[1])
    while left > 0: left -= len(c.recv(65536))
    if b'GET /many' in d: c.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n' + b'a: b\r\n' * 128 + b'\r\n')
    c.sendall(b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 7\r\n\r\n')
    c.close()
PY
odd=$!
trap 'kill $odd 2>/dev/null || true; leave' EXIT
await test -s "$tmp/odd.port"
printf '{"chaos":1,"name":"odd","seed":"1","proxies":{"front":{"listen":"127.0.0.1:0","upstream":"127.0.0.1:%s"}}}' "$(cat "$tmp/odd.port")" >"$tmp/odd.json"
start odd "$BIN"/kf-chaos --scenario "$tmp/odd.json" --admin 127.0.0.1:0
for i in 1 2; do curl -s -o "$tmp/body" -H 'Connection: Upgrade' -H 'Upgrade: websocket' "http://$(address odd front)/"; done
head -c 20000000 /dev/zero >"$tmp/big"
check "129 fields are a 502" test 502 = "$(curl -s -o "$tmp/body" -w '%{http_code}' "http://$(address odd front)/many")"
check "that says why" grep -q 'more than 128 header fields' "$tmp/body"
check "on standard error, too" grep -q 'warn front: an answer of the upstream was refused: more than 128 header fields' "$tmp/odd.err"
check "20 MB pass" test hi = "$(curl -s --data-binary "@$tmp/big" "http://$(address odd front)/")"
curl -s -o "$tmp/body" -H 'Content-Length: 70000000' --data-binary x "http://$(address odd front)/"
check "70 MB do not" grep -q '^413 ' "$tmp/body"
stop odd
check "an Upgrade is told of" test 1 = "$(grep -c "warn front: a request's Upgrade was taken out" "$tmp/odd.err")"
check "a body that was too big" grep -q "warn front: a request's body of more than 64 MiB was refused" "$tmp/odd.err"
check "trailers too" test 1 = "$(grep -c "warn front: an answer's trailers were taken out" "$tmp/odd.err")"
