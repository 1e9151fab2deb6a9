# promtool finds nothing to say about /metrics, a Prometheus that scrapes it
# reads the GenAI names, and the numbers are those of the traffic.
. tests/lib.sh
need curl
need jq
mkdir "$tmp/answers"
printf 'ten words of an answer' >"$tmp/answers/talk.txt"
cat >"$tmp/s.json" <<'END'
{"chaos":1,"name":"metrics","seed":"1","proxies":{"models":{"listen":"127.0.0.1:0","mode":"script","answers":"answers"}},
 "rules":[{"id":"once","match":{"metadata":{"fail":"once"}},"when":{"nth":1},"fault":{"type":"http_error","status":500}}]}
END
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
cat >"$tmp/gateway.yaml" <<END
providers: [{name: p, base_url: "http://$(address chaos models)/v1", forward_headers: [x-tfy-metadata, x-session-id]}, {name: 'odd"name\', base_url: "http://127.0.0.1:9"}]
prices: [{target: p/m, input: 1, output: 2}]
END
start gateway "$BIN"/kf-gateway --config "$tmp/gateway.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
url=http://$(address gateway gateway)/v1/chat/completions
admin=$(address gateway admin)
tokens_in=0 tokens_out=0
ask() { # METADATA BODY-REST [MODEL]
	curl -s -m 10 -o "$tmp/answer" -H "X-TFY-METADATA: op=talk$1" \
	    -d "{\"model\":\"${3-p/m}\",\"messages\":[]$2}" "$url"
	for n in $(grep -o '"prompt_tokens": *[0-9]*' "$tmp/answer" | grep -o '[0-9]*$'); do tokens_in=$((tokens_in + n)); done
	for n in $(grep -o '"completion_tokens": *[0-9]*' "$tmp/answer" | grep -o '[0-9]*$'); do tokens_out=$((tokens_out + n)); done
}
ask '' ''
ask '' ',"stream":true,"stream_options":{"include_usage":true}'
ask ';fail=once' ',"user":"ann"'
ask '' '' 'odd\"name\\/m'
ask '' ',,'
curl -s -m 10 "http://$admin/metrics" >"$tmp/metrics"
if command -v promtool >/dev/null; then
	promtool check metrics <"$tmp/metrics" >"$tmp/lint" 2>&1 || fail "promtool: $(cat "$tmp/lint")"
	check "not a word ($(cat "$tmp/lint"))" [ ! -s "$tmp/lint" ]
fi

# value NAME LABELS...: of the one series that has all these labels.
value() {
	series=$(grep "^$1[{ ]" "$tmp/metrics")
	shift
	for label; do series=$(echo "$series" | grep -F "$label" || true); done
	echo "${series##* }"
}
is() { # WHAT WANTED GOT
	check "$1: $3, wanted $2" [ "$(printf %.9f "$3")" = "$(printf %.9f "$2")" ]
}
m='gen_ai_response_model="p/m"'
check "the upstream counts" [ "$tokens_in" -gt 0 ]
check "both" [ "$tokens_out" -gt 0 ]
is "tokens in" "$tokens_in" "$(value gen_ai_client_token_usage_sum "$m" 'type="input"')"
is "tokens out" "$tokens_out" "$(value gen_ai_client_token_usage_sum "$m" 'type="output"')"
is "durations" 3 "$(value gen_ai_server_request_duration_seconds_count "$m")"
for name in time_to_first_token_seconds time_per_output_token_seconds; do
	is "$name is a stream's" 1 "$(value "gen_ai_server_${name}_count" "$m")"
done
is "good attempts" 3 "$(value kf_gateway_attempts_total 'target="p/m"' 'cause="ok"')"
is "failed attempts" 1 "$(value kf_gateway_attempts_total 'target="p/m"' 'cause="status"')"
is "breaker" 0 "$(value kf_gateway_breaker_state 'target="p/m"')"
is "2xx" 3 "$(value kf_gateway_requests_total 'class="2xx"')"
is "4xx" 1 "$(value kf_gateway_requests_total 'class="4xx"')"
is "5xx" 1 "$(value kf_gateway_requests_total 'class="5xx"')"
is "cost" "$(echo "$tokens_in $tokens_out" | awk '{ printf "%.9f", ($1 + 2 * $2) / 1e6 }')" "$(value kf_gateway_cost_usd_total 'target="p/m"')"
is "overhead of a whole answer at the first try" 1 "$(value kf_gateway_overhead_seconds_count)"
for le in 1e-05 0.01; do
	check "an overhead bucket of $le" grep -q "^kf_gateway_overhead_seconds_bucket{le=\"$le\"}" "$tmp/metrics"
done

command -v prometheus >/dev/null || { echo "no prometheus here, so no scrape"; exit 0; }
cat >"$tmp/prometheus.yml" <<END
scrape_configs: [{job_name: gateway, scrape_interval: 1s, static_configs: [{targets: ["$admin"]}]}]
END
own_ports
prometheus --config.file="$tmp/prometheus.yml" --storage.tsdb.path="$tmp/tsdb" --log.level=error \
    --web.listen-address="127.0.0.1:$port" >"$tmp/prometheus.out" 2>"$tmp/prometheus.err" &
echo $! >"$tmp/prometheus.pid"
started="$started prometheus"
scraped() {
	curl -s -m 5 "http://127.0.0.1:$port/api/v1/query" --data-urlencode \
	    'query=gen_ai_server_request_duration_seconds_count{gen_ai_response_model="p/m"}' |
	    jq -e '.data.result[0].value[1] == "3"'
}
await scraped
