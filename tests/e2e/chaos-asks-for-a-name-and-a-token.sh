# By a name that somebody else's DNS may point at the admin port nobody comes
# in, to the page or to Toxiproxy's routes, unless --allow-host says so; with a
# token in the environment nobody comes in without it.
. tests/lib.sh
need curl
chaos="$BIN"/kf-chaos
unset KF_CHAOS_TOKEN
token=sixteen-bytes-or-more
status() { curl -s -o "$tmp/body" -D "$tmp/head" -w '%{http_code}' "$@"; }
from() { status -H "Host: $1" "http://$admin/$2"; }

start plain "$chaos" --admin 127.0.0.1:0 --allow-host Lab
admin=$(address plain admin)
for path in proxies version metrics ui ui/state no-such-path; do
	for host in lab.example localhost.example 127.0.0.1.example:80; do
		check "$host may not ask for $path" test 403 = "$(from "$host" $path)"
	done
	expected=$([ $path = no-such-path ] && echo 404 || echo 200)
	for host in localhost LOCALHOST:1 127.0.0.1 '[::1]:8474' lab LAB.:80; do
		check "$host may" test $expected = "$(from "$host" $path)"
	done
done
check "nor may it change anything" test 403 = "$(status -H 'Host: lab.example' -X POST "http://$admin/reset")"
check "it is said how" sh -c 'curl -s -H "Host: x.example" "http://$1/proxies" | grep -q -- --allow-host' - "$admin"
check "HTTP/1.0 names no host, and is no browser" test 200 = "$(status -0 -H 'Host:' "http://$admin/proxies")"
check "the page behind somebody's TLS" test 200 = "$(status -H 'Host: lab' -H 'Origin: https://lab' "http://$admin/ui/state")"
check "not of another origin" test 403 = "$(status -H 'Host: lab' -H 'Origin: https://lab.example' "http://$admin/ui/state")"
stop plain

# Containers call the original by whatever name they have.
start original "$chaos" toxiproxy-server -host 127.0.0.1 -port 0
admin=$(address original admin)
check "toxiproxy-server goes by any name" test 200 = "$(from toxiproxy:8474 proxies)"
stop original

KF_CHAOS_TOKEN=short exits 2 "$chaos" --admin 127.0.0.1:0
check "a short token is none" grep -q 'KF_CHAOS_TOKEN: expected at least 16 bytes' "$tmp/err"
start open "$chaos" --admin 0.0.0.0:0
check "an open door is told" grep -q 'whoever reaches 0.0.0.0:0 drives every proxy' "$tmp/open.err"
stop open
export KF_CHAOS_TOKEN=$token
start shut "$chaos" --admin 0.0.0.0:0
unset KF_CHAOS_TOKEN
lacks "one with a token is not" -q 'whoever reaches' "$tmp/shut.err"
far=$(address shut admin)
admin=127.0.0.1:${far##*:}
for path in proxies ui ui/state ui/stream metrics no-such-path; do
	check "$path wants the token" test 401 = "$(status "http://$admin/$path")"
	check "and asks for it" grep -qi '^www-authenticate: Basic realm="kf-chaos"' "$tmp/head"
done
lacks "its value is in no answer" -q "$token" "$tmp/body"
for wrong in "" "Bearer" "Bearer $token-" "Bearer ${token%?}" "Basic" "Basic !!!!" "Basic $(printf %s "$token" | base64)" \
	"Basic $(printf 'a:%s ' "$token" | base64)" "Digest $token" "$token" "Basic $(head -c 3000 /dev/zero | base64 -w 0)"; do
	check "not $wrong" test 401 = "$(status -H "Authorization: $wrong" "http://$admin/proxies")"
done
for right in "Bearer $token" "bearer $token" "Basic $(printf ':%s' "$token" | base64)" "Basic $(printf 'who:%s' "$token" | base64 | tr -d =)"; do
	check "but $right" test 200 = "$(status -H "Authorization: $right" "http://$admin/proxies")"
done
check "the page by a browser's password" test 200 = "$(status -A 'Mozilla/5.0' -u "me:$token" "http://$admin/ui")"
exits 1 "$chaos" ctl --admin "$admin" list
KF_CHAOS_TOKEN=$token exits 0 "$chaos" ctl --admin "$admin" create p 127.0.0.1:0 127.0.0.1:1
KF_CHAOS_TOKEN=$token exits 0 "$chaos" ctl --admin "$admin" toxic add p latency latency=5
KF_CHAOS_TOKEN=$token exits 0 "$chaos" ctl --admin "$admin" toxic update p latency_downstream latency=6
stop shut
lacks "nor in what it says" -rq "$token" "$tmp/shut.out" "$tmp/shut.err"
