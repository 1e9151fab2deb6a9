# 10,000 connections that say nothing cost others no time and the gateway
# little memory; a timer closes them; in a crowd the oldest of them make room.
. tests/lib.sh
need node
need curl
[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -ge 10500 ] || { echo "10,500 descriptors are not allowed here"; exit 77; }
ulimit -n 10500
start rude node tests/clients/rude.mjs
gateway() { # NAME LIMITS
	cat >"$tmp/$1.yaml" <<-END
		providers: [{name: rude, base_url: "http://$(address rude rude)"}]
		limits: {$2, client_idle_ms: 300}
	END
	start "$1" "$BIN"/kf-gateway --config "$tmp/$1.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
}
play() { # NAME ARGS...
	name=$1
	shift
	timeout 60 node tests/clients/idle.mjs "$(address "$name" gateway)" "$(address "$name" admin)" "$@" \
	    >"$tmp/out" 2>"$tmp/client.err" || fail "$name (status $?: $(cat "$tmp/out"))"
	cat "$tmp/out"
}
gateway many "connections: 12000, client_head_ms: 15000"
play many 10000
peak=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$(cat "$tmp/many.pid")/status")
case $(ldd "$BIN"/kf-gateway) in
*asan*) ;; # keeps what was freed
*) check "it took $peak kB at most" [ "$peak" -lt 65536 ] ;;
esac
gateway few "connections: 50, client_head_ms: 500"
play few 120 --cap 50

# The admin port refuses nonsense as the front does.
curl -s -m 5 -D "$tmp/head" -o "$tmp/answer" -H 'Content-Length: x' -H 'Expect:' -d x "http://$(address few admin)/metrics"
check "a bad request is told" grep -q '^HTTP/1.1 400 ' "$tmp/head"
check "and stamped" grep -qi '^x-local-gateway: yes' "$tmp/head"
for name in many few; do
	stop $name
	check "$name stops well" [ "$stopped" = 0 ]
done
