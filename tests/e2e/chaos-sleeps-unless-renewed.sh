# A time to live switches rules and toxics off when nobody renews it over the API.
. tests/lib.sh
need node
start chaos "$BIN"/kf-chaos --admin 127.0.0.1:0
timeout 60 node tests/clients/limits.mjs "http://$(address chaos admin)" 2>"$tmp/client.err" || fail "faults sleep unless renewed"
stop chaos
check "it ends well" test "$stopped" -eq 0
