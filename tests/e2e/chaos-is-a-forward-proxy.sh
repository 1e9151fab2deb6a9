# A client that cannot change its base URL names the proxy in HTTPS_PROXY: the
# hosts of the scenario meet its rules inside CONNECT, by leaves of a local CA,
# and are asked over verified TLS; other hosts pass untouched or are refused.
. tests/lib.sh
need curl
need openssl
need node
need python3
chaos="$BIN"/kf-chaos
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=origin \
    -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout "$tmp/key.pem" -out "$tmp/cert.pem" 2>/dev/null
start origin node tests/clients/origin.mjs "$tmp/key.pem" "$tmp/cert.pem"
secure=$(address origin secure) plain=$(address origin plain) port=${secure##*:}
exits 0 "$chaos" ca "$tmp/ca"
scenario() { # FILE OTHERS HOSTS
	cat >"$tmp/$1" <<-S
		{"chaos":1,"name":"forward","seed":"1","proxies":{"way":{"listen":"127.0.0.1:0","mode":"forward","ca":"ca","hosts":$3,"others":"$2"}},
		 "rules":[{"id":"storm","match":{"path":"/v1/storm"},"when":{"always":true},"fault":{"type":"http_error","status":429,"retry_after":"7"},"goal":"fired>=1"},
		          {"id":"cut","match":{"path":"/stream"},"when":{"always":true},"fault":{"type":"sse_cut","after_events":2,"how":"clean"}},
		          {"id":"reset","match":{"path":"/reset"},"when":{"always":true},"fault":{"type":"reset_peer"}}]}
	S
}
scenario s.json tunnel '["localhost","*.example.com"]'
start chaos "$chaos" --scenario "$tmp/s.json" --admin 127.0.0.1:0 --upstream-ca "$tmp/cert.pem" --log "$tmp/log.jsonl"
way=http://$(address chaos way)
ask() { curl -s -m 10 -o "$tmp/answer" -D "$tmp/head" -w '%{http_code}' --cacert "$tmp/ca/ca.pem" -x "$way" "$@" || true; }
says() { check "$1: $(cat "$tmp/answer")" grep -q "$2" "$tmp/answer"; }

# Intercepted.
check "an answer of the real host" test 200 = "$(ask -d '{"a":1}' "https://$secure/v1/x?q=1")"
says "over TLS, as it was asked" "\"tls\":true,\"method\":\"POST\",\"url\":\"/v1/x?q=1\",\"body\":\"{\\\\\"a\\\\\":1}\""
says "Host is the real one" "\"host\":\"$secure\""
# But for the name that ends circles.
sed 's/"cdn-loop":"kf-chaos-[0-9a-f]\{16\}"//' "$tmp/answer" >"$tmp/unmarked"
check "nothing else of a proxy's is in it: $(cat "$tmp/unmarked")" sh -c '! grep -qi "proxy\|chaos" "$1"' - "$tmp/unmarked"
check "a fault" test 429 = "$(ask "https://$secure/v1/storm")"
check "with its head" grep -qi '^retry-after: 7' "$tmp/head"
check "a stream is cut" test 200 = "$(ask "https://$secure/stream")"
check "after two events" test 2 = "$(grep -c '^data: ' "$tmp/answer")"
check "two requests on one connection" test "200 429" = "$(curl -s -m 10 -o "$tmp/answer" -o "$tmp/answer2" -w '%{http_code} ' --cacert "$tmp/ca/ca.pem" -x "$way" "https://$secure/a" "https://$secure/v1/storm" | sed 's/ $//')"
got=0; curl -s -m 10 -o "$tmp/answer" --cacert "$tmp/ca/ca.pem" -x "$way" "https://$secure/reset" || got=$?
check "a reset ($got)" test 56 = "$got"
check "by the environment" test 200 = "$(HTTPS_PROXY=$way curl -s -m 10 -o "$tmp/answer" -w '%{http_code}' --cacert "$tmp/ca/ca.pem" "https://$secure/x")"
check "who does not trust the CA gets nothing" test 000 = "$(curl -s -m 10 -o "$tmp/answer" -w '%{http_code}' -x "$way" "https://$secure/x" || true)"
cat >"$tmp/ask.py" <<'P'
import json, sys, urllib.error, urllib.request
for url in sys.argv[1:]:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            print(answer.status, json.load(answer)["tls"])
    except urllib.error.HTTPError as e:
        print(e.code)
P
check "Python, by its environment" test "200 True
429
200 False" = "$(SSL_CERT_FILE="$tmp/ca/ca.pem" HTTPS_PROXY=$way HTTP_PROXY=$way http_proxy=$way no_proxy='' \
    python3 "$tmp/ask.py" "https://$secure/x" "https://$secure/v1/storm" "http://localhost:${plain##*:}/x")"
cat >"$tmp/ask.mjs" <<'N'
import http from "node:http";
import tls from "node:tls";
const [proxy, target] = process.argv.slice(2);
const { hostname, port } = new URL(proxy);
const [host] = target.split(":");
http.request({ host: hostname, port, method: "CONNECT", path: target }).on("connect", (answer, socket) => {
	const inside = tls.connect({ socket, servername: host, ALPNProtocols: ["h2", "http/1.1"] }, () => {
		http.get({ createConnection: () => inside, path: "/x", headers: { host: target } }, (r) => {
			console.log(answer.statusCode, inside.alpnProtocol, r.statusCode);
			process.exit();
		});
	});
}).end();
N
check "Node, by CONNECT" test "200 http/1.1 200" = "$(NODE_EXTRA_CA_CERTS="$tmp/ca/ca.pem" node "$tmp/ask.mjs" "$way" "$secure")"
# What the real host shows is verified: this one's certificate is for localhost alone.
check "a host that shows another name" test 502 = "$(ask --resolve "a.example.com:$port:127.0.0.1" "https://a.example.com:$port/x")"

# Plain HTTP: absolute form, and inside CONNECT.
check "absolute form, intercepted" test 429 = "$(ask "http://localhost:${plain##*:}/v1/storm")"
check "absolute form, passed on" test 200 = "$(ask "http://localhost:${plain##*:}/p?q")"
says "as a path" '"tls":false,"method":"GET","url":"/p?q"'
form() { # METHOD TARGET
	curl -s -m 10 -o "$tmp/answer" -w '%{http_code}' -X "$1" --request-target "$2" "$way"
}
check "without a path, intercepted" test 200 = "$(form GET "http://localhost:${plain##*:}?q=/1")"
says "its query stays" '"method":"GET","url":"/?q=/1"'
check "without a path, untouched" test 200 = "$(form GET "http://$plain?q")"
says "its query stays" '"method":"GET","url":"/?q"'
check "asked about itself" test 200 = "$(form OPTIONS "http://localhost:${plain##*:}")"
says "not about a path" '"method":"OPTIONS","url":"\*"'
check "a user in it" test 400 = "$(form GET "http://me@localhost:${plain##*:}/p")"
check "another scheme" test 400 = "$(form GET "ftp://localhost:${plain##*:}/p")"
check "a relative one" test 400 = "$(form GET p)"
check "plain inside CONNECT" test 429 = "$(ask -p "http://localhost:${plain##*:}/v1/storm")"
check "and passed on" test 200 = "$(ask -p "http://localhost:${plain##*:}/p")"
says "plainly" '"tls":false'
# Others, untouched: the real certificate is seen, and no rule is met.
check "another host is tunnelled" test 200 = "$(curl -s -m 10 -o "$tmp/answer" -w '%{http_code}' --cacert "$tmp/cert.pem" -x "$way" "https://127.0.0.1:$port/v1/storm")"
check "in absolute form too" test 200 = "$(ask "http://$plain/v1/storm")"
head -c 3000000 /dev/urandom | base64 -w 0 >"$tmp/big"
check "much, both ways" test 200 = "$(curl -s -m 20 -o "$tmp/answer" -w '%{http_code}' --cacert "$tmp/cert.pem" -x "$way" -H 'Expect:' --data-binary "@$tmp/big" "https://127.0.0.1:$port/big")"
check "and whole" node -e 'const fs = require("fs"); process.exit(JSON.parse(fs.readFileSync(process.argv[1])).body === fs.readFileSync(process.argv[2], "utf8") ? 0 : 1)' "$tmp/answer" "$tmp/big"
check "a host that is not there" test 502 = "$(curl -s -m 10 -o "$tmp/answer" -w '%{http_connect}' -x "$way" https://127.0.0.1:1/ || true)"
check "an intercepted one that is not there" test 502 = "$(ask https://localhost:1/)"

# What is no use of it.
python3 - "${way#http://}" >"$tmp/refusals" <<'P'
import socket, sys
host, port = sys.argv[1].rsplit(':', 1)
for text in (b'GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n', b'CONNECT localhost HTTP/1.1\r\nHost: x\r\n\r\n', b'CONNECT localhost:0 HTTP/1.1\r\nHost: x\r\n\r\n',
             b'CONNECT a b:1 HTTP/1.1\r\nHost: x\r\n\r\n', b'CONNECT localhost:1 HTTP/1.1\r\nHost: x\r\n\r\n\x16\x03\x01', b'GET http://u:p@localhost/ HTTP/1.1\r\nHost: x\r\n\r\n',
             b'GET http:///x HTTP/1.1\r\nHost: x\r\n\r\n', b'GET http://?x HTTP/1.1\r\nHost: x\r\n\r\n', b'GET ftp://localhost/ HTTP/1.1\r\nHost: x\r\n\r\n'):
    s = socket.create_connection((host, int(port)))
    s.settimeout(10)
    s.send(text)
    s.shutdown(socket.SHUT_WR)
    print(s.recv(65536).split(b' ')[1].decode(), end=' ')
for cut in range(0, 40, 3):   # gone in the middle of things
    s = socket.create_connection((host, int(port)))
    s.send(b'CONNECT localhost:443 HTTP/1.1\r\nHost: x\r\n\r\n')
    s.recv(100)
    s.send((b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + b'x' * 40)[:cut])
    s.close()
P
check "each is a 400: $(cat "$tmp/refusals")" test "400 400 400 400 400 400 400 400 400 " = "$(cat "$tmp/refusals")"
check "goes on" test 200 = "$(ask "https://$secure/x")"
stop chaos
check "its goal is met, and it ends well" test "$stopped" = 0
check "the log tells of the faults" test "$(grep -c '"result":"fired"' "$tmp/log.jsonl")" -eq 7

scenario refuse.json refuse '["localhost"]'
start strict "$chaos" --scenario "$tmp/refuse.json" --admin 127.0.0.1:0 --upstream-ca "$tmp/cert.pem"
way=http://$(address strict way)
check "others are refused" test 403 = "$(curl -s -m 10 -o "$tmp/answer" -w '%{http_connect}' -x "$way" "https://127.0.0.1:$port/" || true)"
check "in absolute form too" test 403 = "$(ask "http://$plain/x")"
check "its own are not" test 200 = "$(ask "https://$secure/x")"
stop strict

# Without --upstream-ca nobody vouches for the real host.
start careful "$chaos" --scenario "$tmp/s.json" --admin 127.0.0.1:0
way=http://$(address careful way)
check "an upstream that nobody vouches for" test 502 = "$(ask "https://$secure/x")"
says "is told as such" "self.signed certificate"
stop careful

# Who may use a proxy from elsewhere is not led to its machine, by whatever number or name; a
# glob does not allow it, the very name does.
sed 's/"listen":"127.0.0.1:0"/"listen":"0.0.0.0:0","remote":true/; s/"\*.example.com"/"*.example.com","127.9.*"/' "$tmp/s.json" >"$tmp/remote.json"
start remote "$chaos" --scenario "$tmp/remote.json" --admin 127.0.0.1:0 --upstream-ca "$tmp/cert.pem"
far=$(address remote way)
way=http://127.0.0.1:${far##*:}
admin=$(address remote admin)
behind=${admin##*:}
own=$(ip -o -4 addr show scope global 2>/dev/null | sed -n 's/.* inet \([0-9.]*\).*/\1/p' | head -n 1)
name=$(getent hosts 127.0.0.1 | tr -s ' \t' '\n' | grep -v -e '^127' -e '^localhost$' | head -n 1)
for host in "$admin" "127.8.9.1:$behind" "0.0.0.0:$behind" "[::]:$behind" "[::1]:$behind" "[::ffff:127.0.0.1]:$behind" "[::ffff:7f00:1]:$behind" \
	${own:+"$own:$behind"} ${name:+"$name:$behind"}; do
	check "nobody is led to $host" test 403 = "$(ask "http://$host/proxies")"
	check "nor by CONNECT" test 403 = "$(curl -s -m 10 -o "$tmp/answer" -w '%{http_connect}' -p -x "$way" "http://$host/proxies" || true)"
done
check "nor through TLS that a glob intercepts" test 403 = "$(ask "https://127.9.0.1:$port/x")"
says "which says why" "does not lead to its own machine"
check "the operator is told" grep -q 'is this machine itself' "$tmp/remote.err"
check "a host that the scenario names is reached" test 200 = "$(ask "https://$secure/x")"
stop remote

# A proxy of another mode is no forward proxy.
echo '{"chaos":1,"name":"l","seed":"1","proxies":{"live":{"listen":"127.0.0.1:0","upstream":"http://'"$plain"'"}}}' >"$tmp/live.json"
start live "$chaos" --scenario "$tmp/live.json" --admin 127.0.0.1:0
check "CONNECT there is a 405" test 405 = "$(curl -s -m 10 -o "$tmp/answer" -w '%{http_connect}' -x "http://$(address live live)" https://localhost:1/ || true)"
stop live
# An address of IPv6 stands in brackets, however it is spelt.
scenario six.json refuse '["[0:0::1]"]'
start six "$chaos" --scenario "$tmp/six.json" --admin 127.0.0.1:0
way=http://$(address six way)
check "an address of IPv6 meets the rules" test 429 = "$(ask "https://[::1]:9/v1/storm")"
check "plainly, too" test 429 = "$(ask "http://[::1]:9/v1/storm")"
check "another one does not" test 403 = "$(curl -s -m 10 -o "$tmp/answer" -w '%{http_connect}' -x "$way" "https://[::2]:9/v1/storm" || true)"
stop six
bad() { # WHY PROXY
	echo '{"chaos":1,"name":"b","seed":"1","proxies":{"p":{'"$2"'}}}' >"$tmp/bad.json"
	exits 2 "$chaos" --scenario "$tmp/bad.json" --admin 127.0.0.1:0
	check "$1: $(cat "$tmp/err")" grep -q "$1" "$tmp/err"
}
unfit() { # WHY PROXY: what check refuses as well
	bad "$1" "$2"
	exits 2 "$chaos" check "$tmp/bad.json"
	check "$1: $(cat "$tmp/err")" grep -q "$1" "$tmp/err"
}
unfit 'beyond this machine' '"mode":"forward","listen":"0.0.0.0:0","ca":"ca","hosts":["x"]'
unfit 'expected hosts' '"mode":"forward","listen":"127.0.0.1:0","ca":"ca"'
unfit 'expected a host name' '"mode":"forward","listen":"127.0.0.1:0","ca":"ca","hosts":["https://x"]'
for host in ::1 '[::1' '[::1]:443' '[x]'; do
	unfit 'an IPv6 address in brackets' '"mode":"forward","listen":"127.0.0.1:0","ca":"ca","hosts":["'"$host"'"]'
done
bad 'no CA there; kf-chaos ca' '"mode":"forward","listen":"127.0.0.1:0","ca":"none","hosts":["x"]'
unfit 'are for mode forward' '"listen":"127.0.0.1:0","mode":"standin","hosts":["x"]'
