# Keys are made, listed, limited, expired and revoked while two gateways run on
# one file; what they spend is counted by both, outlives them, and can be asked for.
. tests/lib.sh
need curl
need jq
need node
gw="$BIN"/kf-gateway
KF_TEST_ANN=sesame-of-ann
export KF_TEST_ANN
serve_spender up
conf() { # NAME LINES...
	file=$tmp/$1.yaml
	shift
	cat >"$file" <<END
providers: [{name: p, base_url: "http://$(address up upstream)/v1", passthrough: [/files], models: [m, other]}]
prices: [{target: p/m, input: 1000, output: 1000}]
store: {path: "$tmp/s.db"}
END
	for line; do echo "$line" >>"$file"; done
}
store="--store $tmp/s.db"
conf a
conf b
for n in a b; do start $n "$gw" --config "$tmp/$n.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0; done
a=http://$(address a gateway) b=http://$(address b gateway) admin=http://$(address a admin)
check "the store is its owner's" [ "$(stat -c %a "$tmp/s.db")" = 600 ]
# A damaged page is found wherever it is, before somebody meets it.
"$gw" keys create whole --store "$tmp/whole.db" >"$tmp/out" 2>&1
pages=$(($(wc -c <"$tmp/whole.db") / 4096)) page=1
while [ $page -lt $pages ]; do
	cp "$tmp/whole.db" "$tmp/torn.db"
	dd if=/dev/zero of="$tmp/torn.db" bs=4096 seek=$page count=1 conv=notrunc 2>/dev/null
	printf 'providers: [{name: p, base_url: "http://127.0.0.1:9/v1"}]\nstore: {path: "%s"}\n' "$tmp/torn.db" >"$tmp/torn.yaml"
	exits 2 "$gw" check "$tmp/torn.yaml"
	check "page $page of $pages" grep -q 'torn.db: it is damaged' "$tmp/err"
	exits 3 timeout $AWAIT_S "$gw" --config "$tmp/torn.yaml" --listen 127.0.0.1:0 --admin 127.0.0.1:0
	check "nor does it start on page $page" grep -q 'torn.db: it is damaged' "$tmp/err"
	rm -f "$tmp"/torn.db*
	page=$((page + 1))
done
check "there were pages" [ $pages -gt 3 ]
# A key that cannot be told is none, and its name is free.
full="--store $tmp/full.db"
for json in '' --json; do
	got=0
	"$gw" keys create lost $json $full >/dev/full 2>"$tmp/said" || got=$?
	check "a full disk ends with 3: $got" [ $got = 3 ]
	check "and says what it means" grep -q 'could not be written, so it was not made' "$tmp/said"
	check "nothing was made" [ "$("$gw" keys list --json $full)" = '[]' ]
done
for verb in 'keys list' spend requests; do
	got=0
	"$gw" $verb $full >/dev/full 2>"$tmp/said" || got=$?
	check "$verb on a full disk: $got" [ $got = 3 ]
done
status() { curl -s -m 10 -D "$tmp/head" -o "$tmp/answer" -w '%{http_code}' "$@"; }
chat() { # URL KEY [MODEL [MAX]]
	status -H "Authorization: Bearer $2" -d "{\"model\":\"${3:-m}\",\"messages\":[],\"uses_in\":10,\"max_tokens\":${4:-10}}" "$1/v1/chat/completions"
}
gives() { [ "$(chat "$@")" = "$want" ]; }
says() { # WHAT STATUS URL KEY...
	what=$1 want=$2
	shift 2
	got=$(chat "$@")
	check "$what: $got $(cat "$tmp/answer")" [ "$got" = "$want" ]
}
create() { "$gw" keys create "$@" $store 2>"$tmp/said"; }

says "nobody has a key yet" 200 "$a" ''
ann=$(create ann --models 'm,x*' --subject user:ann)
check "it is said once" grep -q 'not shown again' "$tmp/said"
check "it looks like one" expr "$ann" : 'kf-[A-Za-z0-9_-]\{43\}$' >/dev/null
check "the file does not hold it" sh -c "! cat '$tmp'/s.db* | grep -qF '$ann'"
turns() { want=$1; shift; await gives "$@"; } # STATUS URL KEY
opens() { [ "$(status -H "api-key: $2" "$1/v1/models")" = 200 ]; }
known() { for url in "$a" "$b"; do await opens "$url" "$1"; done; } # KEY: both have heard of it
for url in "$a" "$b"; do turns 401 "$url" ''; done # now nobody comes in without
says "her own" 200 "$a" "$ann"
says "nor by another" 401 "$a" kf-"$(printf '%043d' 7)"
says "a model it may not ask for" 403 "$a" "$ann" other
check "is said" grep -q model_not_allowed "$tmp/answer"
check "nor see" [ "$(curl -s -H "api-key: $ann" "$a/v1/models" | jq -c '[.data[].id]')" = '[]' ]
check "what is not metered is not for it" [ "$(status -H "api-key: $ann" "$a/v1/files")" = 403 ]
check "the admin's door knows no such key" [ "$(status -H "api-key: $ann" "$admin/keys")" = 200 ] # it asks for none here

# A budget of two gateways: 20 tokens are 0.02 dollars here.
bob=$(create bob --budget 0.05 --per ever)
known "$bob"
says "here" 200 "$b" "$bob"
says "and there" 200 "$a" "$bob"
says "the last may pass it" 200 "$b" "$bob"
for url in "$a" "$b"; do
	says "then it is empty" 429 "$url" "$bob"
	check "for good" grep -qi '^x-should-retry: false' "$tmp/head"
	check "and says whose" grep -q 'of dollars of bob' "$tmp/answer"
	check "after a minute at most: $(grep -i '^retry-after' "$tmp/head")" grep -qiE '^retry-after: ([1-9]|[1-5][0-9]|60).?$' "$tmp/head"
done
# Sums, because jq 1.7 says a number as it was written.
check "what it did" [ "$("$gw" keys show bob --json $store | jq -c '.[0]|[.spent_usd+0,.budget_usd+0,.per,.state]')" = '[0.06,0.05,"ever","good"]' ]

# A rate of two gateways.  A minute may turn in between, once.
cat=$(create cat --rate 2)
known "$cat"
for i in 1 2 3 4; do chat "$b" "$cat"; echo; chat "$a" "$cat"; echo; done >"$tmp/rates"
check "of eight in a row four were too many at least: $(tr '\n' ' ' <"$tmp/rates")" [ "$(grep -c 429 "$tmp/rates")" -ge 4 ]

# Expired and revoked keys.
dan=$(create dan --expires 6s)
known "$dan"
turns 401 "$a" "$dan"
check "and says so" grep -q 'this key has expired' "$tmp/answer"
exits 0 "$gw" keys revoke ann $store
for url in "$a" "$b"; do turns 401 "$url" "$ann"; done
check "and says so" grep -q 'this key was revoked' "$tmp/answer"
for width in 40 80 120 200; do
	exits 0 env COLUMNS=$width "$gw" keys list $store
	check "keys fit $width columns" awk -v w=$width 'length > w { bad = 1 } END { exit bad }' "$tmp/out"
done
exits 0 "$gw" keys list $store
for row in 'ann  *revoked' 'bob  *good' 'dan  *expired'; do check "$row" grep -q "^$row" "$tmp/out"; done

# The same by the admin's door, which a page of another site does not pass.
made=$(curl -s "$admin/keys" -d '{"name":"<img src=x onerror=alert(1)>","budget_usd":1.5,"per":"day","requests_per_minute":100,"models":"m"}')
eve=$(printf %s "$made" | jq -r .key)
known "$eve"
for row in "409 {\"name\":\"bob\"}" '400 {"name":""}' '400 {"name":"a\u0001"}' '400 {"name":"x","budget_usd":-1}' '400 {"name":"x","per":"hour"}' \
    '400 {"name":"x","budget_usd":0}' '400 {"name":"x","budget_usd":0.0000000001}' '400 {"name":"x","budget_usd":-0.0}' '400 {"name":"x","budget_usd":null}' '400 {"name":"x","expires":"2027-02-30"}' \
    '400 {"name":"x","expires":"yesterday"}' '400 {"name":"x","nonsense":1}' '400 [' '400 {"name":"x","models":"a*b"}'; do
	check "${row#* }" [ "$(status -d "${row#* }" "$admin/keys")" = "${row%% *}" ]
done
check "no dollars are no endless ones" [ "$(curl -s "$admin/keys" | jq '[.keys[].name] | index("x")')" = null ]
for row in 'PUT /keys GET, POST' 'HEAD /keys GET, POST' 'DELETE /keys/bob GET' 'GET /keys/bob/revoke POST' 'POST /spend GET' 'PUT /requests GET'; do
	method=${row%% *} row=${row#* }
	case $method in HEAD) how=-I ;; *) how="-X $method" ;; esac
	check "$method ${row%% *}" [ "$(status $how "$admin${row%% *}")" = 405 ]
	check "what is allowed there" grep -qi "^allow: ${row#* }.\?$" "$tmp/head"
done
check "a page is refused" [ "$(status -H 'Origin: https://evil.example' -d '{"name":"z"}' "$admin/keys")" = 403 ]
check "one key" [ "$(curl -s "$admin/keys/bob" | jq -r '.keys[0].name')" = bob ]
check "a name in a path" [ "$(status -X POST "$admin/keys/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E/revoke")" = 200 ]
check "none of that name" [ "$(status "$admin/keys/nobody")" = 404 ]
turns 401 "$b" "$eve"
for name in "'; DROP TABLE keys; --" '"quoted"' '../../etc/passwd' '%s%n' '--help'; do
	hers=$("$gw" keys create $store -- "$name" 2>/dev/null)
	known "$hers"
	says "$name" 200 "$a" "$hers"
	check "$name" [ "$("$gw" keys show --json $store -- "$name" | jq -r '.[0].name')" = "$name" ]
	check "$name was counted" [ "$("$gw" requests --key "$name" --json $store | jq -r '.[0].key')" = "$name" ]
done
for bad in '' "$(printf 'a\tb')" 'ü' "$(printf '%065d' 1)" ' x'; do exits 2 "$gw" keys create $store -- "$bad"; done

# A key of the configuration works on, and stands as its subject.
conf a 'keys: [{key_env: KF_TEST_ANN, subject: "user:conf"}]'
check "a reload" [ "$(status -X POST "$admin/reload")" = 200 ]
says "its key" 200 "$a" "$KF_TEST_ANN"
says "one that was handed out" 200 "$a" "$hers"
conf a 'keys: [{key_env: KF_TEST_ANN, subject: "user:conf"}]'
sed -i 's/s\.db/t.db/' "$tmp/a.yaml"
check "another store is a restart" [ "$(status -X POST "$admin/reload")" = 400 ]
check "which is said" grep -q 'store: changes at a restart only' "$tmp/answer"

# Spend and requests, in every way, and after all have gone.
settled() { [ "$("$gw" requests --status open --json $store)" = '[]' ]; }
await settled
"$gw" spend --json $store >"$tmp/spend"
cents=$(jq '.[]|select(.key=="cat").cost_usd*100|round' "$tmp/spend")
check "a key without a budget has spent, too: $cents" [ "$cents" -gt 0 ]
check "and so says its row" [ "$("$gw" keys show cat --json $store | jq '.[0].spent_usd*100|round')" = "$cents" ]
check "among others" [ "$("$gw" keys list --json $store | jq '.[]|select(.name=="cat").spent_usd*100|round')" = "$cents" ]
check "and the admin's door" [ "$(curl -s "$admin/keys/cat" | jq '.keys[0].spent_usd*100|round')" = "$cents" ]
for n in a b; do stop $n; check "$n ends well" [ "$stopped" = 0 ]; done
check "a restart changes nothing" [ "$("$gw" spend --json $store)" = "$(cat "$tmp/spend")" ]
count=$(wc -c <"$tmp/count")
sum() { "$gw" spend --by "$1" --json $store | jq '([.[].requests]|add), ([.[].cost_usd]|add*100|round)' | tr '\n' ' '; }
for by in key model day; do check "by $by: $(sum $by)" [ "$(sum $by)" = "$count $((2 * count)) " ]; done
check "a key's" [ "$(jq -c '.[]|select(.key=="bob")|[.requests,.tokens_in,.tokens_out,.cost_usd+0]' "$tmp/spend")" = '[3,30,30,0.06]' ]
check "the subject's" [ "$(jq -r '.[]|select(.key=="user:conf").requests' "$tmp/spend")" = 1 ]
check "none before tomorrow" [ "$("$gw" spend --since 0s --by day --json $store | jq length)" -le 1 ]
"$gw" requests --key bob --model p/m --status 200 --since 1h --json $store >"$tmp/requests"
check "requests" [ "$(jq -c '[length,.[0].target,.[0].outcome,.[0].attempts[0].cause,.[0].cost_usd+0]' "$tmp/requests")" = '[3,"p/m","ok","ok",0.02]' ]
check "no bodies" [ "$(jq -c '.[0]|[.asked,.answered]' "$tmp/requests")" = '[null,null]' ]
exits 0 "$gw" requests --rows 2 $store
check "two rows" [ "$(wc -l <"$tmp/out")" = 3 ]
exits 0 "$gw" spend --by model $store
check "a table" grep -qE '^p/m +' "$tmp/out"
