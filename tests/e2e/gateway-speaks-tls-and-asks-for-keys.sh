# With tls: the door speaks TLS, with keys: nobody passes without one, and
# beyond loopback it does not open at all without keys.
. tests/lib.sh
need curl
need openssl
need node
need python3
gw="$BIN"/kf-gateway
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=gateway \
    -addext subjectAltName=IP:127.0.0.1 -keyout "$tmp/key.pem" -out "$tmp/cert.pem" 2>/dev/null
cat >"$tmp/conf.yaml" <<END
providers: [{name: p, base_url: "http://127.0.0.1:9", models: [m]}]
keys: [{key_env: KF_TEST_CALLER, subject: "user:ann"}]
tls: {cert_file: $tmp/cert.pem, key_file: $tmp/key.pem}
END
KF_TEST_CALLER=sesame
export KF_TEST_CALLER
start gateway "$gw" --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
url=https://$(address gateway gateway)
status() { curl -s -m 10 -o "$tmp/answer" -D "$tmp/head" -w '%{http_code}' --cacert "$tmp/cert.pem" "$@"; }
check "with the key" [ "$(status -H 'Authorization: Bearer sesame' "$url/v1/models")" = 200 ]
check "without" [ "$(status "$url/v1/models")" = 401 ]
check "the refusal has the stamp" grep -qi '^x-local-gateway: yes' "$tmp/head"
check "and says how" grep -qi '^www-authenticate: Bearer' "$tmp/head"
check "in another scheme" [ "$(status -H 'Authorization: Digest sesame' "$url/v1/models")" = 401 ]
check "with another" [ "$(status -H 'Authorization: Bearer sesame2' "$url/v1/models")" = 401 ]
check "with half of it" [ "$(status -H 'Authorization: Bearer sesam' "$url/v1/models")" = 401 ]
check "plain HTTP gets nothing" [ "$(status "http://${url#https://}/v1/models")" = 000 ]

# The admin port beyond loopback asks for a key too.
start far "$gw" --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 0.0.0.0:0
admin=127.0.0.1:$(address far admin | sed 's/.*://')
check "metrics without a key" [ "$(status "http://$admin/metrics")" = 401 ]
check "and with one" [ "$(status -H 'Authorization: Bearer sesame' "http://$admin/metrics")" = 200 ]
check "no reload for anybody" [ "$(status -X POST "http://$admin/reload")" = 401 ]
stop far

# As an upstream: who signed its certificate and for what name is asked.
upstream() { # NAME HOST [CA]: the cause of a request's failure, in $cause
	cat >"$tmp/$1.yaml" <<-END
		providers: [{name: p, base_url: "https://$2:${url##*:}/v1"}]
		rules: [{id: r, type: priority-based-routing, load_balance_targets: [{target: p/m, retry_config: {attempts: 0}}]}]
		${3:+tls: {ca_file: $3\}}
	END
	start "$1" "$gw" --config "$tmp/$1.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
	curl -s -m 10 -o "$tmp/answer" -d '{"model":"m"}' "http://$(address "$1" gateway)/v1/chat/completions"
	cause=$(sed -n 's/.*"code":"\([^"]*\)".*/\1/p' "$tmp/answer")
	stop "$1"
}
upstream unknown-issuer 127.0.0.1
check "a certificate nobody vouches for ($cause)" [ "$cause" = tls ]
check "is told as such" grep -qi 'self.signed certificate' "$tmp/answer"
upstream another-name localhost "$tmp/cert.pem"
check "one for another name ($cause)" [ "$cause" = tls ]
check "is told as such" grep -qi 'hostname mismatch' "$tmp/answer"
upstream trusted 127.0.0.1 "$tmp/cert.pem"
check "a good one is asked, and says no ($cause)" [ "$cause" = invalid_api_key ]
# connect_ms covers the handshakes; how long an upload takes is the total's.
start slow node tests/clients/slow-upload.mjs "$tmp/key.pem" "$tmp/cert.pem"
cat >"$tmp/upload.yaml" <<END
providers: [{name: p, base_url: "https://$(address slow upstream)/v1"}]
timeouts: {connect_ms: 300, total_ms: 20000}
tls: {ca_file: $tmp/cert.pem}
END
start upload "$gw" --config "$tmp/upload.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
{ printf '{"model":"m","messages":[{"role":"user","content":"'; head -c 7000000 /dev/zero | tr '\0' a; printf '"}]}'; } >"$tmp/big.json"
check "a slow upload" [ "$(curl -s -m 20 -o "$tmp/answer" -w '%{http_code}' -H 'Expect:' --data-binary "@$tmp/big.json" "http://$(address upload gateway)/v1/chat/completions")" = 200 ]
stop upload
# A connection that ends inside an answer without TLS's own end is a cut.
start cut python3 tests/clients/tls-cut.py "$tmp/key.pem" "$tmp/cert.pem"
sed "s|p, base_url.*|p, base_url: \"https://$(address cut upstream)/v1\"}]|; s/connect_ms: 300/connect_ms: 9000/" "$tmp/upload.yaml" >"$tmp/cut.yaml"
echo 'rules: [{id: r, type: priority-based-routing, load_balance_targets: [{target: p/m, retry_config: {attempts: 0}}]}]' >>"$tmp/cut.yaml"
start cutting "$gw" --config "$tmp/cut.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
asked() { curl -s -m 10 -d "{\"model\":\"m\",\"messages\":[$1]$2}" "http://$(address cutting gateway)/v1/chat/completions" >"$tmp/answer" || true; }
asked '' ''
check "a cut answer: $(cat "$tmp/answer")" grep -q '"code":"cut"' "$tmp/answer"
asked '' ',"stream":true'
check "a cut stream: $(cat "$tmp/answer")" grep -q '"code":"cut"' "$tmp/answer"
asked '{"role":"user","content":"whole"}' ',"stream":true'
check "one that has said why it ends: $(cat "$tmp/answer")" grep -q '^data: \[DONE\]' "$tmp/answer"
stop cutting
stop gateway
check "SIGTERM ends it well" [ "$stopped" = 0 ]

sed -i /^keys/d "$tmp/conf.yaml"
exits 2 "$gw" --config "$tmp/conf.yaml" --listen 0.0.0.0:0 --admin 127.0.0.1:0
check "says why" grep -q "beyond this machine keys are required" "$tmp/err"
echo nonsense >"$tmp/cert.pem"
exits 2 "$gw" --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
check "names the section" grep -q "tls: " "$tmp/err"

# What holds no certificate vouches for nobody: said at check and at the start.
sed "s|ca_file: .*}|ca_file: $tmp/cert.pem}|" "$tmp/upload.yaml" >"$tmp/junk.yaml"
exits 0 "$gw" check "$tmp/junk.yaml"
check "check says it" grep -q 'warning.*tls.ca_file: .*cert.pem: \|tls.ca_file: .*cert.pem: ' "$tmp/err" "$tmp/out"
start junk "$gw" --config "$tmp/junk.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
check "so does the start" grep -q 'tls: ca_file: .*no https upstream can be asked' "$tmp/junk.err"
stop junk
