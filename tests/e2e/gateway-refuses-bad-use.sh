# A bad configuration gives one line with file, line and key and exit 2, a
# taken port one line and exit 3; check says what it found.
. tests/lib.sh
gw="$BIN"/kf-gateway
one_line() { [ "$(wc -l <"$tmp/err")" = 1 ] || fail "one line: $(cat "$tmp/err")"; }
cat >"$tmp/good.yaml" <<'END'
providers: [{name: p, base_url: "http://127.0.0.1:9"}]
END
cat >"$tmp/bad.yaml" <<'END'
providers: [{name: p, base_url: "http://127.0.0.1:9"}]
rules:
  - id: r
    type: weight-based-routing
    load_balance_targets: [{target: p/m, weight: heavy}]
END
printf 'colour: red\n' | cat "$tmp/good.yaml" - >"$tmp/warn.yaml"

exits 0 "$gw" check "$tmp/good.yaml"
exits 0 "$gw" check "$tmp/warn.yaml"
check "the warning says where" grep -q "warn.yaml:2: colour: unknown key" "$tmp/err"
exits 2 "$gw" check "$tmp/bad.yaml"
check "the error says where" grep -q "bad.yaml:5: rules\[0\].load_balance_targets\[0\].weight: found heavy" "$tmp/err"
exits 2 "$gw" check "$tmp/none.yaml"
exits 2 "$gw" check
exits 2 "$gw" --config "$tmp/bad.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
one_line
check "and so does starting" grep -q "bad.yaml:5: rules" "$tmp/err"
exits 2 "$gw" --config "$tmp/none.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
one_line
exits 2 "$gw"
one_line
exits 2 "$gw" --config "$tmp/good.yaml" --listen nowhere
one_line
exits 2 "$gw" --colour
exits 0 "$gw" --help
exits 0 "$gw" --version

start gateway "$gw" --config "$tmp/good.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
taken=$(address gateway gateway)
exits 3 "$gw" --config "$tmp/good.yaml" --listen "$taken" --admin 127.0.0.1:0
one_line
check "the line names the port" grep -q "$taken" "$tmp/err"
exits 3 "$gw" --config "$tmp/good.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 \
    --log "$tmp/no/such/folder"
one_line
stop gateway
check "SIGTERM ends it well" [ "$stopped" = 0 ]

for example in examples/gateway/*.yaml; do
	exits 0 "$gw" check "$example"
	check "$example has no unknown key" [ "$(grep -c "unknown key" "$tmp/err")" = 0 ]
done
for type in weight latency priority; do
	check "two examples of $type" [ "$(grep -l "type: $type-based-routing" examples/gateway/*.yaml | wc -l)" -ge 2 ]
done

# What would be void, a budget above all, is said.
warned() { # WHAT LINES...
	what=$1
	shift
	printf 'providers: [{name: p, base_url: "http://127.0.0.1:9/v1"}]\n' >"$tmp/money.yaml"
	for line; do printf '%s\n' "$line" >>"$tmp/money.yaml"; done
	exits 0 "$BIN"/kf-gateway check "$tmp/money.yaml"
	check "$what: $(cat "$tmp/err")" grep -q "$what" "$tmp/err"
}
warned 'nope/m names no provider' 'prices: [{target: nope/m, input: 1, output: 1}]'
warned 'm names no provider' 'prices: [{target: m, input: 1, output: 1}]'
warned 'p/m stands twice' 'prices: [{target: p/m, input: 1, output: 1}, {target: p/m, input: 2, output: 2}]'
warned 'day counts dollars, and nothing has a price' '---' 'type: gateway-budget-config' 'rules: [{id: day, limit_to: 2, unit: cost_per_day}]'
warned 'tls.ca_file: nope.pem is not there' 'tls: {ca_file: nope.pem}'
printf '%s\n' 'providers: [{name: p, base_url: "http://127.0.0.1:9/v1"}]' 'tls: {cert_file: nope.pem, key_file: nope.pem}' >"$tmp/money.yaml"
exits 2 "$gw" --config "$tmp/money.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
cp "$tmp/err" "$tmp/started"
exits 2 "$gw" check "$tmp/money.yaml"
check "check says of a certificate what the start does: $(cat "$tmp/err")" cmp "$tmp/err" "$tmp/started"
check "which names it" grep -q 'tls: nope.pem: cannot be used' "$tmp/err"
echo 'providers: [{name: a/b, base_url: "http://127.0.0.1:9/v1"}]' >"$tmp/money.yaml"
exits 2 "$BIN"/kf-gateway check "$tmp/money.yaml"
printf 'providers: [{name: p, base_url: "http://127.0.0.1:9/v1"}]\nstore: {path: "%s/none/s.db"}\n' "$tmp" >"$tmp/money.yaml"
exits 2 "$BIN"/kf-gateway check "$tmp/money.yaml"
check "its folder: $(cat "$tmp/err")" grep -q 'the store .*none.*No such file' "$tmp/err"
# A version that nobody speaks is no time-out.
need python3
start versions "$BIN"/kf-gateway --config examples/gateway/cost-cheapest-now.yaml --listen 127.0.0.1:0 --admin 127.0.0.1:0
port=$(address versions gateway | sed 's/.*://')
python3 -c 'import socket, sys
s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5)
s.sendall(b"GET /v1/models HTTP/2.0\r\nHost: localhost\r\n\r\n")
s.settimeout(5)
print(s.recv(65536).decode())' "$port" >"$tmp/answer"
check "505: $(tail -n 1 "$tmp/answer")" grep -q '"type":"server_error"' "$tmp/answer"
