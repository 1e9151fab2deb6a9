# x-local-gateway: yes and x-request-id stand on a 200, a stream, a 404, a 400
# and a 502.
. tests/lib.sh
need curl
start chaos "$BIN"/kf-chaos --scenario scenarios/no_chaos/scenario.json \
    --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl" --upstream "gateway=@$tmp/gateway.ready"
KF_MODELS_URL=http://$(address chaos models)
export KF_MODELS_URL
start gateway "$BIN"/kf-gateway --config scenarios/gateway.yaml --listen 127.0.0.1:0 \
    --admin 127.0.0.1:0 --log "$tmp/gateway.jsonl"
url=http://$(address gateway gateway)
ask='{"model":"deepseek-v4-flash","messages":[{"role":"user","content":"x"}]'

meta='{"op":"rope","iteration":"1"}'
expect() { # WHAT STATUS CURL-ARGS...
	what=$1 status=$2
	shift 2
	curl -s -i -m 10 -H 'Content-Type: application/json' \
	    -H "X-TFY-METADATA: $meta" "$@" >"$tmp/answer" || true
	tr -d '\r' <"$tmp/answer" >"$tmp/lines"
	check "$what has status $status: $(head -n 1 "$tmp/lines")" grep -q "^HTTP/1.1 $status " "$tmp/lines"
	check "$what has the stamp" grep -qi '^x-local-gateway: yes$' "$tmp/lines"
	check "$what has a request id" grep -Eqi '^x-request-id: .+' "$tmp/lines"
}
expect "a completion" 200 -d "$ask}" "$url/v1/chat/completions"
expect "the bare prefix" 200 -d "$ask}" "$url/chat/completions"
expect "TrueFoundry's prefix" 200 -d "$ask}" "$url/api/llm/chat/completions"
expect "a stream" 200 -d "$ask,\"stream\":true}" "$url/v1/chat/completions"
check "the stream ends with [DONE]" grep -q '^data: \[DONE\]' "$tmp/lines"
# What may stand in no header is escaped there, in names and in values.
meta='{"op":"rope","iteration":"1","a\u007f":"\u007f","b":"\u0001\u00e9"}'
for row in "200 chat/completions $ask}" "200 chat/completions $ask,\"stream\":true}" "400 chat/completions {" "400 embeddings {}"; do
	set -- $row
	code=$1 path=$2
	shift 2
	expect "$path with a DEL" "$code" -d "$*" "$url/v1/$path"
	check "it is echoed" grep -qF 'x-tfy-metadata-echo: {"op":"rope","iteration":"1","a\u007f":"\u007f","b":"\u0001\u00E9"}' "$tmp/lines"
done
expect "the models" 200 "$url/v1/models"
expect "one of them" 200 "$url/v1/models/deepseek-v4-flash"
check "is itself" grep -q '^{"id":"deepseek-v4-flash"' "$tmp/lines"
expect "its head" 200 -I "$url/v1/models"
expect "one that nobody has" 404 "$url/v1/models/nobody"
expect "an unknown path" 404 "$url/v2/nothing"
expect "a body that is not JSON" 400 -d '{"model":' "$url/v1/chat/completions"
stop chaos
expect "a dead upstream" 502 -d "$ask}" "$url/v1/chat/completions"
check "the error has OpenAI's form" grep -q '"error"' "$tmp/lines"
