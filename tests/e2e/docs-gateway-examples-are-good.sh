# Every configuration of docs/gateway.md, whole or in part, is one that the
# gateway takes without a warning about a key, and the five minutes are true.
. tests/lib.sh
gw="$BIN"/kf-gateway page=docs/gateway.md
mkdir "$tmp/blocks"
# A file a block of yaml, and a file a here-document in a block of sh.
awk -v to="$tmp/blocks/" '
    /^```/ { is_yaml = $0 == "```yaml"; is_sh = $0 == "```sh"; if (is_yaml) n++; next }
    is_sh && /<<.END.$/ { here = 1; n++; next }
    here && /^END$/ { here = 0; next }
    is_yaml || here { print > (to n ".yaml") }' "$page"
# A setting in a sentence.
grep -oE '`(timeouts|min_rate|buffer|log_bodies): \{[^`]*\}`|`breaker: [a-z]+`' "$page" |
    tr -d '`' | awk -v to="$tmp/blocks/said-" '{ print > (to NR ".yaml") }'
providers='providers: [{name: deepseek, base_url: "https://api.deepseek.com"}, {name: vllm, base_url: "http://127.0.0.1:8000/v1"}]'
# The files that the examples name: paths begin where the gateway is started.
need openssl
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
    -keyout "$tmp/key.pem" -out "$tmp/cert.pem" 2>/dev/null
seen=0
for block in "$tmp"/blocks/*.yaml; do
	case $(head -c 4 "$block") in
	'    ') # the rest of a rule
		{ printf '%s\nrules:\n  - id: r\n    type: priority-based-routing\n    load_balance_targets: [{target: deepseek/m}]\n' "$providers"; cat "$block"; } >"$tmp/whole.yaml" ;;
	*) if grep -q '^providers:' "$block"; then cp "$block" "$tmp/whole.yaml"; else
		{ printf '%s\n---\n' "$providers"; cat "$block"; } >"$tmp/whole.yaml"; fi ;;
	esac
	sed -i "s|: cert.pem|: $tmp/cert.pem|; s|: key.pem|: $tmp/key.pem|" "$tmp/whole.yaml"
	got=0
	"$gw" check "$tmp/whole.yaml" >"$tmp/out" 2>"$tmp/said" || got=$?
	check "exit $got: $(cat "$tmp/said" "$tmp/whole.yaml")" [ $got = 0 ]
	check "no unknown key: $(cat "$tmp/said")" [ "$(grep -c 'unknown key' "$tmp/said")" = 0 ]
	seen=$((seen + 1))
done
check "$seen examples were found" [ $seen -ge 16 ]

# What the five minutes show is what is seen there, but for the milliseconds.
need curl
sed 's/:900[12]/:0/' examples/gateway/models.json >"$tmp/models.json"
start models "$BIN"/kf-chaos --scenario "$tmp/models.json" --admin 127.0.0.1:0
sed "s/127.0.0.1:9001/$(address models small)/; s/127.0.0.1:9002/$(address models large)/" examples/gateway/two-models.yaml >"$tmp/two.yaml"
start two "$gw" --config "$tmp/two.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
attempts() {
	curl -s -m 20 -o "$tmp/answer" -D - "http://$(address two gateway)/v1/chat/completions" -d '{"model": "chat", "messages": []}' |
	    sed -n 's/;ms=[0-9]*;/;ms=0;/g; s/^x-kf-attempts: //p'
}
first=$(attempts)
attempts >"$tmp/second"
third=$(attempts)
small=$(sed -n 's/^x-kf-attempts: \(.*\), \.\.\.$/\1/p' docs/gateway-in-five-minutes.md)
check "twice: $first" [ "${first#"$small, $small, large/stand-in;cause=ok;"}" != "$first" ]
check "soon not at all: $third" [ "${third#small/stand-in;cause=breaker;}" != "$third" ]
