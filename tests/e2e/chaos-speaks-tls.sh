# An HTTP proxy speaks TLS: by a certificate of one's own, or by leaves that a
# local CA makes for each name asked for; HTTP/1.1 is what it offers, and who
# comes with HTTP/2 is told so in HTTP/2's words.
. tests/lib.sh
need curl
need openssl
need node
need python3
chaos="$BIN"/kf-chaos
exits 0 "$chaos" ca "$tmp/ca"
check "the CA is made" grep -q "^made $tmp/ca/ca.pem" "$tmp/out"
check "how Node trusts it is said" grep -q NODE_EXTRA_CA_CERTS "$tmp/out"
modes=$(stat -c %a "$tmp/ca" "$tmp/ca/ca.pem" "$tmp/ca/ca-key.pem" | tr '\n' ' ')
check "nobody else reads it: $modes" test "$modes" = "700 600 600 "
sum=$(cat "$tmp/ca/"*.pem | sha256sum)
exits 0 "$chaos" ca "$tmp/ca"
check "a second time finds it" grep -q "^found " "$tmp/out"
check "and leaves it alone" test "$sum" = "$(cat "$tmp/ca/"*.pem | sha256sum)"
exits 2 "$chaos" ca ""
check "an empty name is no folder" grep -q "empty" "$tmp/err"
XDG_DATA_HOME="$tmp/data" exits 0 "$chaos" ca
check "its place is the user's data folder" test -s "$tmp/data/kf-chaos/ca.pem"
cat >"$tmp/s.json" <<'S'
{"chaos":1,"name":"tls","seed":"1","proxies":{"front":{"listen":"127.0.0.1:0","mode":"standin"}},
 "rules":[{"id":"cut","match":{"path":"/v1/cut"},"when":{"always":true},"fault":{"type":"limit_data","bytes":60}},
          {"id":"reset","match":{"path":"/v1/reset"},"when":{"always":true},"fault":{"type":"reset_peer"}}]}
S
# Leaves by name.
start chaos "$chaos" --scenario "$tmp/s.json" --admin 127.0.0.1:0 --tls-ca "$tmp/ca"
front=$(address chaos front) port=${front##*:}
ask() { curl -s -m 10 -o "$tmp/answer" -w '%{http_code} %{http_version}' --cacert "$tmp/ca/ca.pem" -d '{"model":"m","messages":[]}' "$@" || true; }
for name in 127.0.0.1 localhost api.openai.com xn--bcher-kva.example; do
	check "$name" test "$(ask --resolve "$name:$port:127.0.0.1" "https://$name:$port/v1/chat/completions")" = "200 1.1"
done
check "of HTTP/2 and 1.1 it takes 1.1" test "$(ask --http2 "https://$front/v1/chat/completions")" = "200 1.1"
check "who does not trust the CA gets nothing" test 000 = "$(curl -s -m 10 -o "$tmp/answer" -w '%{http_code}' "https://$front/")"
check "plain HTTP gets nothing" test 000 = "$(curl -s -m 10 -o "$tmp/answer" -w '%{http_code}' "http://$front/")"
s_client() { openssl s_client -connect "$front" -CAfile "$tmp/ca/ca.pem" "$@" </dev/null >"$tmp/s_client" 2>&1 || true; }
s_client -servername api.example.com -verify_hostname api.example.com -alpn h2,http/1.1 -x509_strict
check "strict OpenSSL verifies the leaf" grep -q "Verify return code: 0 (ok)" "$tmp/s_client"
check "ALPN is http/1.1" grep -q "ALPN protocol: http/1.1" "$tmp/s_client"
s_client -alpn h2
check "h2 alone is an alert" grep -q "no application protocol" "$tmp/s_client"
s_client -servername 'bad name*'
check "no leaf for what is no name" grep -q "alert" "$tmp/s_client"
cat >"$tmp/ask.py" <<'P'
import ssl, sys, urllib.request
context = ssl.create_default_context()
context.verify_flags |= ssl.VERIFY_X509_STRICT
with urllib.request.urlopen(sys.argv[1], data=b'{"model":"m","messages":[]}', context=context, timeout=10) as answer:
    print(answer.status)
P
check "Python by SSL_CERT_FILE" test 200 = "$(SSL_CERT_FILE="$tmp/ca/ca.pem" python3 "$tmp/ask.py" "https://localhost:$port/v1/chat/completions")"
check "Node by NODE_EXTRA_CA_CERTS" test 200 = "$(NODE_EXTRA_CA_CERTS="$tmp/ca/ca.pem" node -e '
	fetch(process.argv[1], { method: "POST", body: "{\"model\":\"m\",\"messages\":[]}" }).then((a) => console.log(a.status));
' "https://localhost:$port/v1/chat/completions")"
# Faults on bytes act on what is inside.
check "60 bytes of the answer inside TLS" test 60 = "$(printf 'GET /v1/cut HTTP/1.1\r\nHost: x\r\n\r\n' |
    timeout 10 openssl s_client -quiet -connect "$front" 2>/dev/null | wc -c)"
check "and a reset" test 56 = "$(curl -s -m 10 -o "$tmp/answer" --cacert "$tmp/ca/ca.pem" "https://$front/v1/reset" || echo $?)"
# Clients that go away in the middle of a handshake, and noise.
python3 - "$front" <<'P'
import os, socket, ssl, sys
host, port = sys.argv[1].rsplit(':', 1)
for i in range(60):
    s = socket.create_connection((host, int(port)))
    s.send(b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + os.urandom(i * 7))
    s.close()
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
for i in range(600):   # more names than are kept
    with socket.create_connection((host, int(port))) as s, context.wrap_socket(s, server_hostname=f'h{i}.example'):
        pass
P
check "goes on" test "$(ask "https://$front/v1/chat/completions")" = "200 1.1"
stop chaos
check "and ends well" test "$stopped" = 0

# A certificate of one's own, in the scenario, beside a plain proxy.
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=mine -addext subjectAltName=IP:127.0.0.1 \
    -keyout "$tmp/key.pem" -out "$tmp/cert.pem" 2>/dev/null
cat >"$tmp/own.json" <<'S'
{"chaos":1,"name":"own","seed":"1","proxies":{
 "front":{"listen":"127.0.0.1:0","mode":"standin","tls":{"cert":"cert.pem","key":"key.pem"}},
 "plain":{"listen":"127.0.0.1:0","mode":"standin"}}}
S
start own "$chaos" --scenario "$tmp/own.json" --admin 127.0.0.1:0
front=$(address own front) plain=$(address own plain)
check "its own certificate" test 200 = "$(curl -s -m 10 -o "$tmp/answer" -w '%{http_code}' --cacert "$tmp/cert.pem" -d '{"model":"m","messages":[]}' "https://$front/v1/chat/completions")"
check "the other is plain" test 200 = "$(curl -s -m 10 -o "$tmp/answer" -w '%{http_code}' -d '{"model":"m","messages":[]}' "http://$plain/v1/chat/completions")"

# HTTP/2 that nobody was asked about.
check "curl sees that it is not HTTP/2" test 200 != "$(curl -s -m 10 -o "$tmp/answer" -w '%{http_code}' --http2-prior-knowledge "http://$plain/v1/models" 2>"$tmp/curl" || true)"
python3 - "$plain" >"$tmp/frames" <<'P'
import socket, sys
host, port = sys.argv[1].rsplit(':', 1)
for cut in (0, 5, 18):   # however the preface comes
    s = socket.create_connection((host, int(port)))
    s.settimeout(10)
    preface = b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' + b'\0\0\0\4\0\0\0\0\0'
    if cut:
        s.send(preface[:cut])
    s.send(preface[cut:])
    got = b''
    while (more := s.recv(4096)):
        got += more
    while got:
        n = int.from_bytes(got[:3], 'big')
        body = got[9:9 + n]
        print('SETTINGS' if got[3] == 4 else 'GOAWAY', int.from_bytes(body[4:8], 'big'), body[8:].decode())
        got = got[9 + n:]
P
want='SETTINGS 0 
GOAWAY 13 this server speaks HTTP/1.1 alone'
check "GOAWAY with HTTP_1_1_REQUIRED: $(cat "$tmp/frames")" test "$(cat "$tmp/frames")" = "$want
$want
$want"
check "and whoever runs it is told" grep -q "HTTP/2, and this speaks HTTP/1.1 alone" "$tmp/own.err"
stop own

# An upstream that answers and closes while the body is still being sent: what it said is heard, as without TLS.
cat >"$tmp/early.py" <<'PY'
import os, socket, ssl, sys
key, cert, ready = sys.argv[1], sys.argv[2], sys.argv[sys.argv.index('--ready-file') + 1]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(cert, key)
listener = socket.create_server(('127.0.0.1', 0))
with open(ready, 'w') as f: f.write('ready upstream=127.0.0.1:%d\n' % listener.getsockname()[1])
print('ready ', flush=True)
while True:
    s = context.wrap_socket(listener.accept()[0], server_side=True)
    got = 0
    while got < 4000000: got += len(s.recv(65536))
    s.sendall(b'HTTP/1.1 413 Content Too Large\r\ncontent-length: 7\r\nconnection: close\r\n\r\ntoo big')
    os.close(s.detach())
PY
start early python3 "$tmp/early.py" "$tmp/key.pem" "$tmp/cert.pem"
printf '{"chaos":1,"name":"early","seed":"1","proxies":{"front":{"listen":"127.0.0.1:0","upstream":"https://%s"}}}' "$(address early upstream)" >"$tmp/early.json"
start upload "$chaos" --scenario "$tmp/early.json" --admin 127.0.0.1:0 --upstream-ca "$tmp/cert.pem"
head -c 16000000 /dev/zero >"$tmp/big"
for _ in 1 2 3 4 5 6 7 8; do
	early=$(curl -s -m 60 -w ' %{http_code}' --data-binary @"$tmp/big" "http://$(address upload front)/v1/x" || true)
	check "an early answer over TLS: $early" test "$early" = "too big 413"
done
stop upload

# Bad use: one line, exit 2.
refused() { # CODE WHY ARGS...
	code=$1 why=$2
	shift 2
	exits "$code" "$chaos" --admin 127.0.0.1:0 "$@"
	check "$why: $(cat "$tmp/err")" grep -q "$why" "$tmp/err"
}
refused 2 'expected --tls-cert with --tls-key' --scenario "$tmp/s.json" --tls-cert "$tmp/cert.pem"
refused 2 'no CA there; kf-chaos ca' --scenario "$tmp/s.json" --tls-ca "$tmp/none"
refused 2 'the scenario has no HTTP proxy' --tls-ca "$tmp/ca"
refused 2 'none.pem' --scenario "$tmp/s.json" --tls-cert "$tmp/cert.pem" --tls-key "$tmp/none.pem"
chmod 644 "$tmp/ca/ca-key.pem"
refused 3 'others may read it' --scenario "$tmp/s.json" --tls-ca "$tmp/ca"
exits 3 "$chaos" ca "$tmp/ca"
cp "$tmp/key.pem" "$tmp/ca/ca-key.pem"
chmod 600 "$tmp/ca/ca-key.pem"
refused 2 "not the certificate's" --scenario "$tmp/s.json" --tls-ca "$tmp/ca"
rm "$tmp/ca/ca-key.pem"
exits 2 "$chaos" ca "$tmp/ca"
check "a CA without its key is not made over" grep -q "ca-key.pem is not" "$tmp/err"
bad_tls() { # WHY TLS
	echo '{"chaos":1,"name":"b","seed":"1","proxies":{"p":{"listen":"127.0.0.1:0",'"$2"'}}}' >"$tmp/bad.json"
	exits 2 "$chaos" check "$tmp/bad.json"
	check "$1: $(cat "$tmp/err" "$tmp/out")" grep -q "$1" "$tmp/err" "$tmp/out"
}
bad_tls '/proxies/p/tls: expected cert and key' '"mode":"standin","tls":{"cert":"x"}'
bad_tls '/proxies/p/tls: expected cert and key' '"mode":"standin","tls":{"cert":"x","key":"y","ca":"z"}'
bad_tls 'bytes pass untouched' '"mode":"passthrough","upstream":"127.0.0.1:1","tls":{"ca":"z"}'
