# A recorded session plays without its upstream: the same bytes, plain and
# streamed, with the timing it had or at once; faults act on it; no secret is
# in the cassette; what a fault cut off is; a request that is not in it is a 404 that names its key.
. tests/lib.sh
need node
need curl
start up node tests/clients/upstream.mjs
slow='{"id":"slow","match":{"stream":true},"when":{"always":true},"fault":{"type":"ttft","ms":900}}'
cut='{"id":"cut","match":{"header":{"x-cut":"yes"}},"when":{"always":true},"fault":{"type":"sse_cut","after_events":2,"how":"clean"},"goal":"fired==1"}'
scenario() { # NAME PROXY RULES
	printf '{"chaos":1,"name":"c","seed":"1","identity":{"key":"body-sha256"},"proxies":{"front":{"listen":"127.0.0.1:0",%s}},"rules":[%s]}' "$2" "$3" >"$tmp/$1.json"
}
# A proxy that makes the upstream slow, so that there is a timing to keep.
scenario slow "\"upstream\":\"http://$(address up upstream)\"" "$slow"
start slow "$BIN"/kf-chaos --scenario "$tmp/slow.json" --admin 127.0.0.1:0
scenario record "\"mode\":\"record\",\"cassette\":\"tape\",\"upstream\":\"http://$(address slow front)\"" "$cut"
scenario kept '"mode":"replay","cassette":"tape"' ''
scenario fast '"mode":"replay","cassette":"tape","timing":"fast"' "$cut"
start record "$BIN"/kf-chaos --scenario "$tmp/record.json" --admin 127.0.0.1:0
ask() { # PROXY BODY OUT ARGS...: prints status and milliseconds
	at=$1 body=$2 out=$3
	shift 3
	curl -sN -o "$tmp/$out" -w '%{http_code} %{time_total}' -H 'Authorization: Bearer sk-secret' "$@" \
	    -d "$body" "http://$(address "$at" front)/v1/chat/completions"
}
plain='{"model":"m","messages":[]}'
stream='{"model":"m","stream":true,"messages":[]}'
ask record "$plain" plain >"$tmp/out"
ask record "$stream" stream >"$tmp/out"
check "a fault cuts what is recorded" test 200 = "$(ask record "$stream" torn -H 'x-cut: yes' | cut -d' ' -f1)"
check "for its client" test 2 = "$(grep -c '^data: ' "$tmp/torn")"
await sh -c "test 3 = \$(wc -l <'$tmp/tape')"
stop record
# The next page is another request; another key in the query is not.  An older tape, whose keys count no query, plays as it did.
cat >"$tmp/pages.py" <<'PY'
import http.server, sys
class Say(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        said = ('asked for ' + self.path).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(said)))
        self.end_headers()
        self.wfile.write(said)
    def log_message(self, *args): pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Say)
line = 'ready upstream=127.0.0.1:%d\n' % server.server_port
open(sys.argv[sys.argv.index('--ready-file') + 1], 'w').write(line)
print(line, end='', flush=True)
server.serve_forever()
PY
start book python3 "$tmp/pages.py"
page() { # PROXY QUERY
	curl -s -o "$tmp/page" -w '%{http_code}' "http://$(address "$1" front)/v1/pages?$2" >"$tmp/code"
	cat "$tmp/page"
}
scenario pages "\"mode\":\"record\",\"cassette\":\"pages.tape\",\"upstream\":\"http://$(address book upstream)\"" ''
start pages "$BIN"/kf-chaos --scenario "$tmp/pages.json" --admin 127.0.0.1:0
one=$(page pages 'page=1&key=old')
two=$(page pages 'page=2&key=old')
await sh -c "test 2 = \$(wc -l <'$tmp/pages.tape')"
stop pages
check "pages differ: $one" test "$one" != "$two"
check "nothing of the query is on the tape but that there is one" test 2 = "$(grep -c '"query":true' "$tmp/pages.tape")"
scenario again '"mode":"replay","cassette":"pages.tape","timing":"fast"' ''
start again "$BIN"/kf-chaos --scenario "$tmp/again.json" --admin 127.0.0.1:0
check "the second page first" test "$two" = "$(page again 'page=2&key=new')"
check "a page that is not there" grep -q not_recorded <<XX
$(page again 'page=3')
XX
check "and the first" test "$one" = "$(page again 'page=1')"
stop again
key=$(printf 'GET\n/v1/pages\n' | sha256sum | cut -d' ' -f1)
jq -c --arg key "$key" '.key = $key | .attempt = input_line_number | del(.query)' "$tmp/pages.tape" >"$tmp/old.tape"
scenario old '"mode":"replay","cassette":"old.tape","timing":"fast"' ''
start old "$BIN"/kf-chaos --scenario "$tmp/old.json" --admin 127.0.0.1:0
check "an older tape has them in their order" test "$one $two" = "$(page old 'page=7') $(page old 'page=8')"
stop old
check "a glob that asks for a query is told" sh -c "sed 's|\"rules\":\[\]|\"rules\":[{\"id\":\"r\",\"match\":{\"path\":\"/v1/x?page=1\"},\"when\":{\"always\":true},\"fault\":{\"type\":\"noop\"}}]|' '$tmp/again.json' >'$tmp/glob.json'; '$BIN'/kf-chaos check '$tmp/glob.json' 2>&1 | grep -q 'looks like a query'"
# A recording that was killed in the middle of a line goes on behind the last
# whole one; a disk that is full is told, and leaves whole lines.
{ head -n 1 "$tmp/tape"; head -n 2 "$tmp/tape" | tail -n 1 | cut -c1-300 | tr -d '\n'; } >"$tmp/torn.tape"
scenario torn "\"mode\":\"record\",\"cassette\":\"torn.tape\",\"upstream\":\"http://$(address slow front)\"" ''
start torn "$BIN"/kf-chaos --scenario "$tmp/torn.json" --admin 127.0.0.1:0
ask torn "$stream" other >"$tmp/out"
await sh -c "test 2 = \$(wc -l <'$tmp/torn.tape')"
stop torn
check "it is told" grep -q 'warn cassette: .*torn.tape: its last line was torn, and is cut off' "$tmp/torn.err"
scenario mended '"mode":"replay","cassette":"torn.tape","timing":"fast"' ''
start mended "$BIN"/kf-chaos --scenario "$tmp/mended.json" --admin 127.0.0.1:0
check "what was before the torn line" test 200 = "$(ask mended "$plain" plain2 | cut -d' ' -f1)"
check "is there, and what came behind it" test 200 = "$(ask mended "$stream" stream2 | cut -d' ' -f1)"
stop mended
scenario full "\"mode\":\"record\",\"cassette\":\"full.tape\",\"upstream\":\"http://$(address slow front)\"" ''
printf '#!/bin/sh\nulimit -f 2\nexec "$@"\n' >"$tmp/small"
chmod +x "$tmp/small"
start full "$tmp/small" "$BIN"/kf-chaos --scenario "$tmp/full.json" --admin 127.0.0.1:0
for n in 1 2 3 4 5; do
	ask full "$plain" other >"$tmp/out"
	ask full "$stream" other >"$tmp/out"
done
await grep -q 'error cassette: .*full.tape: an answer is not kept: File too large' "$tmp/full.err"
stop full
check "a tape that is not whole ends with 3" test "$stopped" = 3
check "and with a whole line" test 0 = "$(tail -c 1 "$tmp/full.tape" | wc -w)"
stop slow
stop up
check "three answers are on the tape" test 3 = "$(wc -l <"$tmp/tape")"
lacks "no secret is" -qi -e sk-secret -e authorization "$tmp/tape"
start kept "$BIN"/kf-chaos --scenario "$tmp/kept.json" --admin 127.0.0.1:0
check "a plain answer" test 200 = "$(ask kept "$plain" plain2 | cut -d' ' -f1)"
check "is the same" cmp "$tmp/plain" "$tmp/plain2"
check "a stream takes its time" test 1 = "$(ask kept "$stream" stream2 | awk '{print ($1 == 200 && $2 >= 0.89)}')"
check "and is the same" cmp "$tmp/stream" "$tmp/stream2"
check "what was cut is" test 200 = "$(ask kept "$stream" stream2 | cut -d' ' -f1)"
check "whole on the tape" cmp "$tmp/stream" "$tmp/stream2"
check "a second attempt was not recorded" test 404 = "$(ask kept "$plain" other | cut -d' ' -f1)"
check "which says so" grep -q 'not in the cassette: key [0-9a-f]*, attempt 2' "$tmp/other"
start fast "$BIN"/kf-chaos --scenario "$tmp/fast.json" --admin 127.0.0.1:0
check "faults act on a replay" test 200 = "$(ask fast "$stream" cut -H 'x-cut: yes' | cut -d' ' -f1)"
check "at their place" test 2 = "$(grep -c '^data: ' "$tmp/cut")"
stop fast
check "and are counted" test "$stopped" = 0
start fast "$BIN"/kf-chaos --scenario "$tmp/fast.json" --admin 127.0.0.1:0
check "fast does not wait" test 1 = "$(ask fast "$stream" stream3 | awk '{print ($1 == 200 && $2 < 0.8)}')"
check "and says the same" cmp "$tmp/stream" "$tmp/stream3"
printf '{"key":1}\n' >"$tmp/tape"
exits 2 "$BIN"/kf-chaos --scenario "$tmp/kept.json" --admin 127.0.0.1:0
check "a bad tape is named with its line" grep -q 'tape: line 1: /' "$tmp/err"
