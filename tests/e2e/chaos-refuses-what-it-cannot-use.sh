# A bad scenario, a bad option, a taken port and a broken log each give one
# clear line and the exit code that fits.
. tests/lib.sh
one() { # CODE PATTERN CMD...
	code=$1 pattern=$2
	shift 2
	exits "$code" "$@"
	check "one line" test "$(wc -l <"$tmp/err")" -eq 1
	check "that says $pattern" grep -q "$pattern" "$tmp/err"
}
chaos=$BIN/kf-chaos
bad=tests/data/scenario/status-out-of-range/in
one 2 '/rules/0/fault/status: found integer 200, expected 400 to 599' "$chaos" --scenario $bad
one 2 '/rules/0/fault/status' "$chaos" check $bad
one 2 'no-such-file' "$chaos" --scenario "$tmp/no-such-file"
one 2 'upstream' "$chaos" --scenario scenarios/rope_demo/scenario.json --admin 127.0.0.1:0
one 2 'upstream' "$chaos" --upstream gateway
one 2 'bogus' "$chaos" --bogus
one 2 'admin' "$chaos" --admin nonsense
exits 0 "$chaos" check scenarios/rope_demo/scenario.json
check "check says it is good" grep -q '^rope_demo: good: 2 proxies' "$tmp/out"
exits 0 "$chaos" --help
check "help names the options" grep -q -- --ready-file "$tmp/out"

one 3 'none/ready' timeout 60 "$chaos" --admin 127.0.0.1:0 --ready-file "$tmp/none/ready"
one 2 '/preset: "liar" stands there twice' timeout 60 "$chaos" --admin 127.0.0.1:0 --preset liar --preset liar
printf '{"chaos":1,"name":"p","seed":"1","proxies":{"p":{"listen":"127.0.0.1:0","mode":"standin"}},"rules":[{"id":"r","match":{},"when":{"always":true},"fault":{"type":"noop"}}]}' >"$tmp/plan.json"
printf '{"proxy":"p","method":"GET","path":"/a\\u001b[31m"}\n' >"$tmp/asked"
exits 0 "$chaos" plan "$tmp/plan.json" "$tmp/asked"
check "a path moves no terminal: $(cat "$tmp/out")" grep -q '^1 p GET /a?\[31m key=' "$tmp/out"
sed 's/"fault":/"goal":"fired<0",&/' "$tmp/plan.json" >"$tmp/goal.json"
"$chaos" check "$tmp/goal.json" >"$tmp/out" 2>&1 || true
check "a goal that nothing meets is told: $(cat "$tmp/out")" grep -q '/rules/0/goal: "fired<0" can never be met' "$tmp/out"
if [ -c /dev/full ]; then
	: >"$tmp/nothing"
	code=0
	"$chaos" cover "$tmp/plan.json" "$tmp/nothing" >/dev/full 2>"$tmp/err" || code=$?
	check "a judgement that is not written is told: $(cat "$tmp/err")" test "$code $(wc -l <"$tmp/err")" = "3 1"
fi

# What never ends or has no other side is refused at the start, and nobody waits for it.
mkfifo "$tmp/nobody"
special='nobody: found a pipe or a device, expected a file'
one 2 "$special" timeout 60 "$chaos" --admin 127.0.0.1:0 --log "$tmp/nobody"
one 2 "/dev/full: found a pipe or a device" timeout 60 "$chaos" --admin 127.0.0.1:0 --log /dev/full
one 2 "/dev/zero: found a pipe or a device" timeout 60 "$chaos" --admin 127.0.0.1:0 --log /dev/zero
one 1 "/dev/zero: found a pipe or a device" timeout 60 "$chaos" verify /dev/zero
one 2 'nobody: a pipe from which nothing came' timeout 60 "$chaos" --admin 127.0.0.1:0 --populate "$tmp/nobody"
one 3 'nobody: a pipe that nobody reads' timeout 60 "$chaos" --admin 127.0.0.1:0 --ready-file "$tmp/nobody"
one 2 "upstream-ca: .*$special" timeout 60 "$chaos" --admin 127.0.0.1:0 --upstream-ca "$tmp/nobody"
one 2 'upstream-ca: /nonexistent: cannot be used' timeout 60 "$chaos" --admin 127.0.0.1:0 --upstream-ca /nonexistent
one 2 'allow-host: expected a name' timeout 60 "$chaos" --admin 127.0.0.1:0 --allow-host ''
for mode in '"mode":"record","upstream":"127.0.0.1:1","cassette":"'"$tmp/nobody"'"' '"mode":"replay","cassette":"'"$tmp/nobody"'"' \
	'"mode":"standin","tls":{"cert":"'"$tmp/nobody"'","key":"'"$tmp/nobody"'"}'; do
	printf '{"chaos":1,"name":"n","seed":"1","proxies":{"p":{"listen":"127.0.0.1:0",%s}}}' "$mode" >"$tmp/nobody.json"
	one 2 "$special" timeout 60 "$chaos" --admin 127.0.0.1:0 --scenario "$tmp/nobody.json"
done

start first "$chaos" --admin 127.0.0.1:0 --log "$tmp/mine"
one 3 'mine: another process writes to it' timeout 60 "$chaos" --admin 127.0.0.1:0 --log "$tmp/mine"
stop first
exits 0 "$chaos" verify "$tmp/mine"
start first "$chaos" --admin 127.0.0.1:0
one 3 'admin: ' "$chaos" --admin "$(address first admin)"
stop first
check "a proxy with nothing to do exits 0" test "$stopped" -eq 0
check "and prints a run hash" grep -Eq '^run_hash [0-9a-f]{64}$' "$tmp/first.out"

cat >"$tmp/dead.json" <<'JSON'
{"chaos":1,"name":"dead","seed":"1","proxies":{"p":{"listen":"127.0.0.1:0","upstream":"127.0.0.1:1"}},
 "rules":[{"id":"never","when":{"p":0},"fault":{"type":"latency","latency":1}}]}
JSON
exits 0 "$chaos" check "$tmp/dead.json"
check "a dead rule is warned of" grep -q 'warning: /rules/0: rule never can never fire' "$tmp/err"
exits 2 "$chaos" check --strict "$tmp/dead.json"
exits 2 "$chaos" --strict --scenario "$tmp/dead.json" --admin 127.0.0.1:0
echo '{"seq":1}' >"$tmp/log"
exits 1 "$chaos" verify "$tmp/log"

# What was meant is guessed: a near key, fault or preset, a glob that is none, a bare host.
mean() { # PATTERN DOCUMENT
	printf '%s' "$2" >"$tmp/mean.json"
	"$chaos" check "$tmp/mean.json" >"$tmp/out" 2>"$tmp/err" || :
	check "$2: $1: $(cat "$tmp/err")" grep -q "$1" "$tmp/err"
}
rule() { printf '{"chaos":1,"name":"x","seed":"1","proxies":{"p":{"listen":"127.0.0.1:0","mode":"standin"}},"rules":[%s]}' "$1"; }
mean '/sed: unknown key, did you mean "seed"?' '{"chaos":1,"name":"x","sed":"1","proxies":{}}'
mean 'not JSON: a text holds .u0000, which is not taken' '{"chaos":1,"name":"a\u0000"}'
mean 'did you mean "match"?' "$(rule '{"id":"a","mach":{},"when":{"always":true},"fault":{"type":"refuse"}}')"
mean 'did you mean "http_error"? expected one of' "$(rule '{"id":"a","when":{"always":true},"fault":{"type":"http_eror","status":500}}')"
mean '/preset: found "realisic", expected one of brownout, ' '{"chaos":1,"name":"x","seed":"1","preset":"realisic","proxies":{}}'
mean 'warning: /rules/0/match/path: "^/v1/.*$" looks like a regular expression' "$(rule '{"id":"a","match":{"path":"^/v1/.*$"},"when":{"always":true},"fault":{"type":"refuse"}}')"
mean 'warning: /proxies/p/upstream: "api.openai.com" is a name that --upstream has to give; did you mean "https://api.openai.com"?' '{"chaos":1,"name":"x","seed":"1","proxies":{"p":{"listen":"127.0.0.1:0","upstream":"api.openai.com"}}}'
# A pipe in a file's place would hold up everybody while a toxic is added.
mkfifo "$tmp/pipe"
mean '/rules/0/fault/file: expected a plain file' "$(rule '{"id":"a","when":{"always":true},"fault":{"type":"latency_recorded","file":"'"$tmp/pipe"'"}}')"
mean '/rules/0/fault/samples: sample 2: expected milliseconds' "$(rule '{"id":"a","when":{"always":true},"fault":{"type":"latency_recorded","samples":[1,"x"]}}')"
mean '/rules/0/fault: expected one of file and samples' "$(rule '{"id":"a","when":{"always":true},"fault":{"type":"latency_recorded"}}')"

# What the start would refuse of an upstream, check refuses.
for upstream in http://h:99999 'x y:1' 127.0.0.1:0 http://h:0/ ftp://h 'http://u:p@h' h:; do
	echo '{"chaos":1,"name":"x","seed":"1","proxies":{"p":{"listen":"127.0.0.1:0","upstream":"'"$upstream"'"}}}' >"$tmp/upstream.json"
	one 2 '/proxies/p/upstream: ' "$chaos" check "$tmp/upstream.json"
	one 2 '/proxies/p/upstream: ' "$chaos" --scenario "$tmp/upstream.json" --admin 127.0.0.1:0
done
one 2 'expected a port from 1' "$chaos" --upstream models=127.0.0.1:0
