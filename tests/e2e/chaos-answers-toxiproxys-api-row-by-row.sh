# Each row of Toxiproxy's API: status, body and headers, as raw HTTP; its metrics
# pass promtool where that is installed.
. tests/lib.sh
need node
need curl
start chaos "$BIN"/kf-chaos --admin 127.0.0.1:0
at=http://$(address chaos admin)
timeout 60 node tests/clients/toxiproxy-api.mjs "$at" "$(address chaos admin)" >"$tmp/out" 2>"$tmp/client.err" ||
    fail "each row of the API"
curl -s "$at/metrics" >"$tmp/metrics"
check "Toxiproxy's names" grep -q '^toxiproxy_proxy_received_bytes_total{direction="upstream",listener="127.0.0.1:[0-9]*",proxy="b",upstream="127.0.0.1:1"} 0$' "$tmp/metrics"
if command -v promtool >/dev/null; then
	promtool check metrics <"$tmp/metrics" >"$tmp/promtool" 2>&1 || { cat "$tmp/promtool"; fail "promtool likes the metrics"; }
fi
