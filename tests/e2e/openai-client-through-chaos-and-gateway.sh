# npm's openai, two major versions, completes a plain and a streamed call
# through the chaos front, the gateway and the scripted models.
. tests/lib.sh
need node
need_npm_clients
start chaos "$BIN"/kf-chaos --scenario scenarios/no_chaos/scenario.json \
    --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl" --upstream "gateway=@$tmp/gateway.ready"
KF_MODELS_URL=http://$(address chaos models)
export KF_MODELS_URL
start gateway "$BIN"/kf-gateway --config scenarios/gateway.yaml --listen 127.0.0.1:0 \
    --admin 127.0.0.1:0 --log "$tmp/gateway.jsonl"
for version in openai ./openai-4.mjs; do
	node tests/clients/complete.mjs "$version" "http://$(address chaos front)/v1" rope \
	    >"$tmp/out" || fail "$version completes both calls"
	check "the stamp came through" grep -q '^x-local-gateway yes$' "$tmp/out"
	check "plain and streamed agree" grep -q '^equal true$' "$tmp/out"
	check "the content is the kernel" grep -q '^entry rope$' "$tmp/out"
done
stop gateway
check "the gateway exits 0" test "$stopped" = 0
stop chaos
check "the chaos proxy exits 0" test "$stopped" = 0
