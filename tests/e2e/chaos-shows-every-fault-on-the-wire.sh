# Every fault of the catalogue is on the wire what its row in
# tests/clients/faults.mjs says, byte for byte against the upstream's own
# answer, over a plain and over a TLS upstream; no head betrays it, and all
# are in the log.
. tests/lib.sh
need node
need openssl
need jq
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 \
    -keyout "$tmp/key.pem" -out "$tmp/cert.pem" -subj /CN=localhost \
    -addext subjectAltName=IP:127.0.0.1 2>/dev/null
show() { # SCHEME ARGS OF THE UPSTREAM...
	scheme=$1
	shift
	start "up-$scheme" node tests/clients/upstream.mjs "$@"
	node tests/clients/faults.mjs scenario "$scheme://$(address "up-$scheme" upstream)" >"$tmp/$scheme.json"
	SSL_CERT_FILE=$tmp/cert.pem start "$scheme" "$BIN"/kf-chaos --scenario "$tmp/$scheme.json" \
	    --admin 127.0.0.1:0 --log "$tmp/$scheme.log"
	node tests/clients/faults.mjs wire "$(address "$scheme" front)" >"$tmp/$scheme.wire" ||
	    fail "over $scheme: $(cat "$tmp/$scheme.wire")"
	stop "$scheme"
	check "all goals are met" test "$stopped" = 0
	check "nothing was bypassed" test 0 = "$(grep -c '"result":"bypassed"' "$tmp/$scheme.log")"
	check "the chain is whole" "$BIN"/kf-chaos verify "$tmp/$scheme.log" >"$tmp/out"
}
"$BIN"/kf-chaos schema | jq -r '.definitions.fault.properties.type.enum[]' | grep -v '^ws_' | sort >"$tmp/types" # those: chaos-passes-websockets.sh
node tests/clients/faults.mjs types | sort >"$tmp/shown"
check "each type has a row: $(diff "$tmp/types" "$tmp/shown")" cmp -s "$tmp/types" "$tmp/shown"
show http
show https --tls "$tmp/cert.pem" "$tmp/key.pem"
check "both logs name the same faults" test \
    "$(jq -r .fault "$tmp/http.log" | sort | tr '\n' ' ')" = "$(jq -r .fault "$tmp/https.log" | sort | tr '\n' ' ')"
