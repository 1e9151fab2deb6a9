# Each row of Toxiproxy's API: status, body and headers, as raw HTTP; its metrics
# pass promtool where that is installed.
. tests/lib.sh
need node
need curl
start chaos "$BIN"/kf-chaos --admin 127.0.0.1:0
at=http://$(address chaos admin)
timeout 60 node tests/clients/toxiproxy-api.mjs "$at" "$(address chaos admin)" >"$tmp/out" 2>"$tmp/client.err" ||
    fail "each row of the API"
curl -s -o "$tmp/body" -d '{"name":"odd\"\\nameof","listen":"127.0.0.1:0","upstream":"127.0.0.1:1"}' "$at/proxies"
curl -s -o "$tmp/body" -d '{"type":"http_error","name":"busy","attributes":{"status":503}}' "$at/proxies/b/toxics"
listen=$(curl -s "$at/proxies/b" | sed 's/.*"listen":"\([^"]*\)".*/\1/')
check "the toxic acts" test 503 = "$(curl -s -o "$tmp/body" -w '%{http_code}' "http://$listen/")"
curl -s "$at/metrics" >"$tmp/metrics"
check "Toxiproxy's names" grep -q '^toxiproxy_proxy_received_bytes_total{direction="upstream",listener="127.0.0.1:[0-9]*",proxy="b",upstream="127.0.0.1:1"} [1-9][0-9]*$' "$tmp/metrics"
check "what a toxic did" grep -q '^kf_chaos_rule_total{proxy="b",result="fired",rule="busy"} 1$' "$tmp/metrics"
check "what all did" grep -q '^kf_chaos_faults_total 1$' "$tmp/metrics"
check "connections" grep -q '^kf_chaos_connections_total{proxy="b"} 1$' "$tmp/metrics"
check "nothing was delayed" grep -q '^kf_chaos_late_seconds_bucket{proxy="b",le="+Inf"} 0$' "$tmp/metrics"
check "odd names are escaped" grep -q '^kf_chaos_connections{proxy="odd\\"\\\\nameof"} 0$' "$tmp/metrics"
if command -v promtool >/dev/null; then
	promtool check metrics <"$tmp/metrics" >"$tmp/promtool" 2>&1 || { cat "$tmp/promtool"; fail "promtool likes the metrics"; }
fi

# What nobody means, and a list that nobody can read.
refused() { # PATH BODY SAYS
	printf '%s' "$2" >"$tmp/sent"
	code=$(curl -s -o "$tmp/body" -w '%{http_code}' -d @"$tmp/sent" "$at$1")
	check "$1 $3: $(cat "$tmp/body")" test "$code" = 400
	check "says so: $(cat "$tmp/body")" grep -q "bad request body: $3" "$tmp/body"
}
long=$(printf '%0257d' 0)
refused /proxies '{"name":"x\u0000","upstream":"127.0.0.1:1"}' ''
refused /proxies '{"name":"x\ny","upstream":"127.0.0.1:1"}' '/name: found the control character 10, expected none'
refused /proxies '{"name":"'"$long"'","upstream":"127.0.0.1:1"}' '/name: found 257 bytes, expected 256 at most'
refused /proxies '{"name":"x","upstream":"\r\nx:1"}' '/upstream: found the control character 13'
refused /proxies '{"name":"x","listen":"127.0.0.1:0\u007f","upstream":"x:1"}' '/listen: found the control character 127'
refused /populate '[{"name":"x\u001b[2J","upstream":"127.0.0.1:1"}]' '/name: found the control character 27'
refused /proxies/b/toxics '{"type":"latency","toxicity":-1}' '/toxicity: found -1, expected 0 or more (1: always)'
refused /proxies/b/toxics '{"type":"latency","name":"'"$long"'"}' '/name: found 257 bytes'
refused /proxies/b/toxics '{"type":"latency","name":"a\tb"}' '/name: found the control character 9'
refused /proxies/b/toxics/busy '{"toxicity":-0.5}' '/toxicity: found -0.5'
check "nothing of it stayed" test 1 = "$(curl -s "$at/proxies/b/toxics" | grep -o '"type"' | wc -l)"
