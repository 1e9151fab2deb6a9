# With --verbose each program logs every change of a state, old -> new; without
# it, none.  gdb shows our byte types as text.
. tests/lib.sh
need curl
mkdir "$tmp/answers"
printf 'hello' >"$tmp/answers/m.txt"
cat >"$tmp/s.json" <<'END'
{"chaos":1,"name":"v","seed":"1","proxies":{"models":{"listen":"127.0.0.1:0","mode":"script","answers":"answers"}}}
END
run() { # NAME OPTION...
	way=$1
	shift
	start "chaos$way" "$BIN"/kf-chaos --scenario "$tmp/s.json" --admin 127.0.0.1:0 "$@"
	echo "providers: [{name: p, base_url: \"http://$(address "chaos$way" models)\"}]" >"$tmp/conf.yaml"
	start "gateway$way" "$BIN"/kf-gateway --config "$tmp/conf.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0 "$@"
	check "an answer" curl -s -m 10 -o "$tmp/answer" -d '{"model":"p/m","messages":[]}' \
	    "http://$(address "gateway$way" gateway)/v1/chat/completions"
	stop "gateway$way"
	stop "chaos$way"
}
run loud --verbose
for program in chaos gateway; do
	check "a client's connection in $program" grep -q 'client [0-9]*: body -> call$' "$tmp/${program}loud.err"
done
check "an upstream's connection" grep -q '127.0.0.1: connecting -> busy$' "$tmp/gatewayloud.err"
check "a call" grep -q 'asking -> holding$' "$tmp/gatewayloud.err"
check "an exchange" grep -q 'models: exchange .*: answering -> over$' "$tmp/chaosloud.err"
run quiet
check "nothing without it" [ "$(cat "$tmp/chaosquiet.err" "$tmp/gatewayquiet.err" | grep -c -e '->')" = 0 ]

command -v gdb >/dev/null 2>&1 && [ -x "$BIN"/unit-base ] || exit 0
gdb -q -batch -ex 'source base/gdb.py' -ex 'break hopbyhop_ends_here' -ex 'run hopbyhop' \
    -ex 'print name' "$BIN"/unit-base >"$tmp/gdb" 2>&1 || true
# Where a debugger may not trace, there is no breakpoint to look from.
grep -q '^Breakpoint 1, ' "$tmp/gdb" || exit 0
check "a slice as text" grep -q '"te" (2 bytes)' "$tmp/gdb"
