# Rules with faults of bytes act on connections of a TCP proxy, one by one, and
# on answers, exactly and the same each time; the scenario's HTTP proxies take
# such toxics over the API; what makes no sense is said in a line.
. tests/lib.sh
need python3
need curl
cat >"$tmp/s.json" <<'JSON'
{"chaos":1,"name":"bytes","seed":"7","proxies":{"wire":{"listen":"127.0.0.1:0","mode":"passthrough","upstream":"back"},
  "models":{"listen":"127.0.0.1:0","mode":"standin"}},
 "phases":[{"name":"first","until":{"requests":6}},{"name":"rest"}],
 "rules":[
  {"id":"cut","proxy":"wire","phase":"first","when":{"nth":2},"fault":[{"type":"limit_data","bytes":1234},{"type":"http_error","status":500}],"goal":"fired==1"},
  {"id":"gone","proxy":"wire","phase":"first","match":{"attempt":3},"when":{"always":true},"fault":{"type":"refuse"}},
  {"id":"rst","proxy":"wire","phase":"first","when":{"nth":4},"fault":{"type":"reset_peer","timeout":60}},
  {"id":"hole","proxy":"wire","phase":"first","when":{"nth":5},"fault":{"type":"timeout","timeout":80}},
  {"id":"late","proxy":"wire","phase":"first","when":{"nth":6},"fault":[{"type":"latency","latency":100,"jitter":20},{"type":"slow_close","delay":150}],"goal":"fired>=1"},
  {"id":"short","proxy":"wire","phase":"rest","when":{"always":true},"fault":{"type":"limit_data","bytes":99999},"goal":"bypassed==1"},
  {"id":"slice","proxy":"models","when":{"always":true},"fault":{"type":"slicer","average_size":50,"size_variation":10,"delay":1000},"goal":"fired==1"}]}
JSON
cat >"$tmp/back.py" <<'PY'
import socket, sys
back = socket.create_server(('127.0.0.1', 0))
line = 'ready back=127.0.0.1:%d\n' % back.getsockname()[1]
open(sys.argv[2], 'w').write(line)
print(line, end='', flush=True)
data = bytes(i * 7 % 256 for i in range(20000))
kept = []
while True:
    c, _ = back.accept()
    kept.append(c)
    try:
        is_kept = c.recv(9) == b'keep'
        c.sendall(data)
    except OSError:
        is_kept = False
    if not is_kept:
        c.close()
PY
cat >"$tmp/client.py" <<'PY'
import socket, sys, time
wire, models = sys.argv[1:3]
data = bytes(i * 7 % 256 for i in range(20000))
def ask(at, what):
    began, got = time.monotonic(), b''
    s = socket.create_connection(at.split(':'))
    s.settimeout(9)
    try:
        s.sendall(what)
        while True:
            p = s.recv(65536)
            if not p:
                return got, 'fin', time.monotonic() - began
            got += p
    except ConnectionError:
        return got, 'rst', time.monotonic() - began
wants = [(20000, 'fin', 0), (1234, 'fin', 0), (0, 'rst', 0), (0, 'rst', .06), (0, 'fin', .08), (20000, 'fin', .23), (20000, 'fin', 0)]
for i, (n, end, least) in enumerate(wants):
    got, how, took = ask(wire, b'keep' if i == 4 else b'x')
    assert got == data[:n] and how == end and took >= least, (i + 1, len(got), how, took)
got, how, took = ask(models, b'GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
assert how == 'fin' and took >= (len(got) / 60 - 1) / 1000, (how, took)
print(len(got))
PY
start back python3 "$tmp/back.py"
back=$(address back back)
for run in one two; do
	start $run "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --log "$tmp/$run.log" --upstream back="$back"
	check "each byte and end is as the rules say" python3 "$tmp/client.py" "$(address $run wire)" "$(address $run models)" >"$tmp/$run.got"
	stop $run
	check "the goals are met" test "$stopped" = 0
	grep -o 'run_hash .*' "$tmp/$run.out" >"$tmp/$run.hash"
done
check "two runs have one hash" cmp "$tmp/one.hash" "$tmp/two.hash"
check "the log has the numbers" grep -q '"bytes":1234,.*"fault":"limit_data".*"key":"ordinal".*"proxy":"wire"' "$tmp/one.log"
check "and what bytes cannot do" grep -q '"fault":"http_error".*"reason":"it acts on HTTP, and this proxy passes bytes"' "$tmp/one.log"

start api "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 --upstream back="$back"
ctl() { "$BIN"/kf-chaos ctl --admin "$(address api admin)" "$@"; }
exits 0 ctl list
check "the scenario's HTTP proxy is listed" grep -q '^models  *127.0.0.1:[0-9]*  *standin  *enabled' "$tmp/out"
exits 0 ctl toxic add models limit_data bytes=40
check "40 bytes and no more" test "$(printf 'GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n' | timeout 60 python3 -c '
import socket, sys
s = socket.create_connection(sys.argv[1].split(":"))
s.sendall(sys.stdin.buffer.read())
n = 0
while p := s.recv(999): n += len(p)
print(n)' "$(address api models)")" = 40
exits 0 ctl toxic update models limit_data_downstream bytes=50
exits 0 ctl toxic remove models limit_data_downstream
exits 0 ctl toxic add models http_error status=418
check "a toxic of HTTP acts too" test "$(curl -s -o "$tmp/body" -w '%{http_code}' "http://$(address api models)/v1/models")" = 418
exits 1 ctl delete models
check "nothing else of it changes" grep -q "the proxy is the scenario's: only its toxics change" "$tmp/out"
exits 1 ctl toggle models
exits 0 ctl reset
check "reset takes the toxics away" test "$(curl -s -o "$tmp/body" -w '%{http_code}' "http://$(address api models)/v1/models")" = 200
