# Each row of Toxiproxy's API: status, body and headers, as raw HTTP; its metrics
# pass promtool where that is installed.
. tests/lib.sh
need node
need curl
start chaos "$BIN"/kf-chaos --admin 127.0.0.1:0
at=http://$(address chaos admin)
timeout 60 node tests/clients/toxiproxy-api.mjs "$at" "$(address chaos admin)" >"$tmp/out" 2>"$tmp/client.err" ||
    fail "each row of the API"
curl -s -o "$tmp/body" -d '{"name":"odd\"\\name\nof","listen":"127.0.0.1:0","upstream":"127.0.0.1:1"}' "$at/proxies"
curl -s -o "$tmp/body" -d '{"type":"http_error","name":"busy","attributes":{"status":503}}' "$at/proxies/b/toxics"
listen=$(curl -s "$at/proxies/b" | sed 's/.*"listen":"\([^"]*\)".*/\1/')
check "the toxic acts" test 503 = "$(curl -s -o "$tmp/body" -w '%{http_code}' "http://$listen/")"
curl -s "$at/metrics" >"$tmp/metrics"
check "Toxiproxy's names" grep -q '^toxiproxy_proxy_received_bytes_total{direction="upstream",listener="127.0.0.1:[0-9]*",proxy="b",upstream="127.0.0.1:1"} [1-9][0-9]*$' "$tmp/metrics"
check "what a toxic did" grep -q '^kf_chaos_rule_total{proxy="b",result="fired",rule="busy"} 1$' "$tmp/metrics"
check "what all did" grep -q '^kf_chaos_faults_total 1$' "$tmp/metrics"
check "connections" grep -q '^kf_chaos_connections_total{proxy="b"} 1$' "$tmp/metrics"
check "nothing was delayed" grep -q '^kf_chaos_late_seconds_bucket{proxy="b",le="+Inf"} 0$' "$tmp/metrics"
check "odd names are escaped" grep -q '^kf_chaos_connections{proxy="odd\\"\\\\name\\nof"} 0$' "$tmp/metrics"
if command -v promtool >/dev/null; then
	promtool check metrics <"$tmp/metrics" >"$tmp/promtool" 2>&1 || { cat "$tmp/promtool"; fail "promtool likes the metrics"; }
fi
