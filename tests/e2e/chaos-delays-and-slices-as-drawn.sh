# The jitter of a latency and the cuts of a slicer are draws from the seed: a
# client that makes them again knows each delay and each piece beforehand.
. tests/lib.sh
need node
start chaos "$BIN"/kf-chaos --admin 127.0.0.1:0 --seed drawn
(cd tests/clients && timeout 90 node drawn.mjs "http://$(address chaos admin)" drawn) >"$tmp/out" 2>"$tmp/client.err" ||
    fail "delays and slices are as drawn"
stop chaos
check "it ends well" test "$stopped" = 0
