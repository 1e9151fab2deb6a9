# x-chaos-fault and Envoy's headers work where the scenario allows them, come
# before the rules, are checked like a scenario, and never reach the upstream.
. tests/lib.sh
need node
need curl
start up node tests/clients/upstream.mjs
cat >"$tmp/s.json" <<JSON
{"chaos":1,"name":"h","seed":"1","proxies":{
  "open":{"listen":"127.0.0.1:0","upstream":"http://$(address up upstream)","header_faults":true},
  "shut":{"listen":"127.0.0.1:0","upstream":"http://$(address up upstream)"}},
 "rules":[{"id":"r","proxy":"open","match":{"header":{"x-rule":"yes"}},"when":{"always":true},"fault":{"type":"http_error","status":500}}]}
JSON
start chaos "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/log"
ask() { # PROXY ARGS...: prints status and seconds; the body is in $tmp/body
	at=$1
	shift
	curl -s -o "$tmp/body" -w '%{http_code} %{time_total}' "$@" -d '{"model":"m","messages":[]}' \
	    "http://$(address chaos "$at")/v1/chat/completions"
}
status() { ask "$@" | cut -d' ' -f1; }
check "a fault by header" test 429 = "$(status open -H 'x-chaos-fault: http_error;status=429;provider=deepseek')"
check "with its attributes" grep -q 'Rate Limit Reached' "$tmp/body"
check "it comes before a rule" test 429 = "$(status open -H 'x-rule: yes' -H 'x-chaos-fault: http_error;status=429')"
check "the rule is there without it" test 500 = "$(status open -H 'x-rule: yes')"
check "Envoy's abort" test 503 = "$(status open -H 'x-envoy-fault-abort-request: 503')"
check "Envoy's delay, and the headers stay here" test 1 = \
    "$(ask open -H 'x-envoy-fault-delay-request: 150' | awk '{print ($1 == 200 && $2 >= 0.15)}')"
check "Envoy's throughput" test 1 = "$(ask open -H 'x-envoy-fault-throughput-response: 1' | awk '{print ($1 == 200 && $2 >= 0.2)}')"
check "where it is not allowed nothing happens" test 200 = "$(status shut -H 'x-chaos-fault: http_error;status=429' -H 'x-envoy-fault-abort-request: 503')"
check "an unknown fault is a 400" test 400 = "$(status open -H 'x-chaos-fault: nonsense')"
check "that says so" grep -q 'x-chaos-fault/type: found string' "$tmp/body"
check "a bad attribute too" test 400 = "$(status open -H 'x-chaos-fault: http_error;status=99')"
check "a quota is not fooled by a number that no sum can hold" test 429 = "$(curl -s -o "$tmp/body" -w '%{http_code}' \
    -H 'x-chaos-fault: quota;tokens=100' -d '{"model":"m","max_tokens":9223372036854775807,"messages":[]}' \
    "http://$(address chaos open)/v1/chat/completions")"
stop chaos
check "they are in the log" test 7 = "$(grep -c '"result":"fired"' "$tmp/log")"
check "as asked by header" test 6 = "$(grep -c '"rule":"header"' "$tmp/log")"
