# kill -9 at any moment loses no spend: what the store says was spent is never
# less than what the upstream was asked for, and more by what was in flight at
# most; also between a journal's entry and the store.  What cannot be written
# down is refused.
. tests/lib.sh
need curl
need jq
need node
need python3
gw="$BIN"/kf-gateway
serve_spender up
conf() { # NAME
	cat >"$tmp/$1.yaml" <<END
providers: [{name: p, base_url: "http://$(address up upstream)/v1"}]
prices: [{target: p/m, input: 1000, output: 1000}]
store: {path: "$tmp/s.db"}
END
}
conf a
conf b
store="--store $tmp/s.db"
key=$("$gw" keys create crowd $store 2>/dev/null)
serve() { start "$1" "$gw" --config "$tmp/$1.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0; }
spent() { "$gw" spend --json $store | jq '([.[].requests]|add)//0, (([.[].cost_usd]|add)//0)*1000|round' | tr '\n' ' '; }

# Each round two gateways are asked by eight clients each, and killed: at
# drawn moments, and at chosen ones, the first requests among them.
serve b
each=0 lost=0
for ms in 0 1 3 10 30 100 $(awk 'BEGIN { srand(); for (i = 0; i < 4; i++) print int(rand() * 150) }'); do
	rm -f "$tmp/a.ready"
	serve a
	node tests/clients/spender.mjs ask "http://$(address a gateway)" "$key" 8 5 >"$tmp/asked" 2>&1 &
	asking=$!
	had=$(wc -c <"$tmp/count")
	grown() { [ "$(wc -c <"$tmp/count")" -gt "$had" ]; }
	[ "$ms" = 0 ] || await grown
	sleep "$(awk -v ms="$ms" 'BEGIN { print ms / 1000 }')"
	kill -KILL "$(cat "$tmp/a.pid")"
	wait "$(cat "$tmp/a.pid")" 2>/dev/null || true
	wait $asking || true
	asked=$(wc -c <"$tmp/count")
	set -- $(spent)
	check "after $ms ms: asked $asked, counted $1 for $2" [ "$1" -ge "$asked" ]
	[ "$each" != 0 ] || [ "$1" = 0 ] || each=$(($2 / $1))
	check "each as it was: $2" [ "$2" = $(($1 * each)) ]
	lost=$((lost + 8))
	check "and what was in flight at most" [ "$1" -le $((asked + lost)) ]
done
check "the file is whole" [ "$(python3 -c "import sqlite3; print(sqlite3.connect('$tmp/s.db').execute('PRAGMA integrity_check').fetchone()[0])")" = ok ]

# Locked by another program: what is spent stands in the journal, also when the
# gateway is killed before any of it was folded; who needs the store is refused.
poor=$("$gw" keys create poor --budget 0.003 --per ever $store 2>/dev/null)
b=http://$(address b gateway)
ask() { curl -s -m 10 -o "$tmp/answer" -D "$tmp/head" -w '%{http_code}' -H "api-key: ${1:-$key}" -d '{"model":"m","messages":[],"uses_in":1,"max_tokens":1}' "$b/v1/chat/completions"; }
opens() { [ "$(curl -s -o /dev/null -w '%{http_code}' -H "api-key: $1" "$b/v1/models")" = 200 ]; }
await opens "$poor"
ready='import sqlite3,sys,time; c=sqlite3.connect(sys.argv[1],isolation_level=None); c.execute("BEGIN IMMEDIATE"); print("locked",flush=True); sys.stdin.read()'
mkfifo "$tmp/hold"
lock() {
	: >"$tmp/locker"
	python3 -c "$ready" "$tmp/s.db" <"$tmp/hold" >"$tmp/locker" &
	locker=$!
	exec 9>"$tmp/hold"
	await_in "$tmp/locker" grep -q locked "$tmp/locker"
}
unlock() { exec 9>&-; wait $locker; }
lock
before=$(wc -c <"$tmp/count")
for i in $(seq 50); do check "asked $i" [ "$(ask)" = 200 ]; done
check "a budget without a lease is refused" [ "$(ask "$poor")" = 503 ]
check "in words" grep -q store_unavailable "$tmp/answer"
check "to be asked again" grep -qi '^retry-after: 1' "$tmp/head"
check "and the log says why" grep -q 'error store: the store .*another program has locked it; requests are refused' "$tmp/b.err"
check "it was not asked" [ "$(wc -c <"$tmp/count")" = $((before + 50)) ]
check "health is answered meanwhile" [ "$(curl -s -m 5 "http://$(address b admin)/healthz")" = '{"status":"ok"}' ]
kill -KILL "$(cat "$tmp/b.pid")"
unlock
asked=$(wc -c <"$tmp/count")
set -- $(spent)
check "killed before a fold: asked $asked, counted $1" [ "$1" -ge "$asked" ]
check "and once" [ "$1" -le $((asked + lost)) ]
first=$1
set -- $(spent)
check "asked again: the same" [ "$1" = "$first" ]
check "its journal is gone" [ -z "$(ls "$tmp"/s.db.spend-* 2>/dev/null)" ]
conf c
serve c
b=http://$(address c gateway)
lock
refused() { [ "$(ask "$poor")" = 503 ]; }
await refused
unlock
works() { [ "$(ask "$poor")" = 200 ]; }
await works
check "then it goes on, and says so" grep -q 'store: it works again' "$tmp/c.err"
stop c

# No room in the journal, and no file may grow any more: refused, all is counted.
sed 's/s.db"/s.db", journal_bytes: 65536/' "$tmp/b.yaml" >"$tmp/small.yaml"
serve_full() { trap "" XFSZ; ulimit -f "$1"; exec "$gw" --config "$tmp/small.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 --ready-file "$tmp/full.ready"; } # in the background alone
kb=$(($(stat -c %s "$tmp/s.db") / 1024 + 1))
serve_full $((kb * 2 > 160 ? kb * 2 : 160)) >"$tmp/full.out" 2>"$tmp/full.err" &
echo $! >"$tmp/full.pid"
started="$started full"
await_in "$tmp/full.out" grep -q ready "$tmp/full.out"
b=http://$(address full gateway)
i=0
while [ $i -lt 1500 ] && [ "$(ask)" = 200 ]; do i=$((i + 1)); done
check "full is refused after $i" [ "$(ask)" = 503 ]
check "with its reason" grep -qE 'error store: .*(disk is full|cannot be read or written)' "$tmp/full.err"
kill -KILL "$(cat "$tmp/full.pid")"
set -- $(spent)
check "and all is counted: $1" [ "$1" -ge "$(wc -c <"$tmp/count")" ]
serve_full 8 >"$tmp/none.out" 2>"$tmp/none.err" &
wait $! && fail "no room for a journal" || check "no room for a journal: $?" [ $? = 3 ]
check "in one line" grep -q 'kf-gateway: the store.*' "$tmp/none.err"

# What was made by the version before has neither journals nor leases.
python3 - "$tmp/s.db" <<'END'
import sqlite3, sys
c = sqlite3.connect(sys.argv[1])
c.executescript('DROP TABLE journals; DROP TABLE leases; PRAGMA user_version = 1')
END
had=$(spent)
serve c
check "it is taken over" [ "$(spent)" = "$had" ]
b=http://$(address c gateway)
check "and used" [ "$(ask)" = 200 ]
stop c

# SQLite maps its -shm.  Who cuts that short ends whoever reads it there; what
# was spent until then stands in the journal.
serve c
b=http://$(address c gateway)
check "it serves" [ "$(ask)" = 200 ]
truncate -s 0 "$tmp/s.db-shm"
ends() { ask >/dev/null || true; ! kill -0 "$(cat "$tmp/c.pid")"; }
await ends
wait "$(cat "$tmp/c.pid")" 2>/dev/null || true
serve c
b=http://$(address c gateway)
check "another one serves" [ "$(ask)" = 200 ]
stop c
set -- $(spent)
check "nothing is lost: $1 of $(wc -c <"$tmp/count")" [ "$1" -ge "$(wc -c <"$tmp/count")" ]

# Damaged, another's, no file, no folder: one line at the start, by check too.
for bad in damaged other folder nowhere/s; do
	case $bad in
	damaged) head -c 8192 /dev/urandom >"$tmp/damaged.db" ;;
	other) python3 -c "import sqlite3; c=sqlite3.connect('$tmp/other.db'); c.execute('create table t(x)'); c.commit()" ;;
	folder) mkdir "$tmp/folder.db" ;;
	esac
	sed "s|s\.db|$bad.db|" "$tmp/b.yaml" >"$tmp/bad.yaml"
	got=0
	"$gw" --config "$tmp/bad.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 >"$tmp/out" 2>"$tmp/err" || got=$?
	check "$bad: $got" [ "$got" -ge 2 ]
	check "$bad in one line: $(cat "$tmp/err")" [ "$(grep -c "the store .*$bad.db" "$tmp/err")" = 1 ]
	case $bad in damaged | other | folder) got=0; "$gw" check "$tmp/bad.yaml" >/dev/null 2>"$tmp/err" || got=$?; check "check: $bad" [ "$got" = 2 ] ;; esac
done
for bad in 'store: {}' 'store: 7' 'store: {path: x, sync: maybe}' 'store: {path: x, keep_days: -1}'; do
	{ grep -v ^store "$tmp/b.yaml"; echo "$bad"; } >"$tmp/bad.yaml"
	exits 2 "$gw" check "$tmp/bad.yaml"
done
# What may not be written is refused at the start as well.
if [ "$(id -u)" != 0 ]; then
	chmod 400 "$tmp/s.db" "$tmp"/s.db-*
	exits 3 "$gw" --config "$tmp/b.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
	check "read-only" grep -q 'it may not be written\|cannot be opened' "$tmp/err"
fi
