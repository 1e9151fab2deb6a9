# --strict-compat brings each old defect of Toxiproxy back; without it none is there.
. tests/lib.sh
need node
need_npm_clients
need python3
for name in ours strict ours2 strict2; do
	case $name in strict*) flag=--strict-compat ;; *) flag= ;; esac
	# shellcheck disable=SC2086
	start $name "$BIN"/kf-chaos --admin 127.0.0.1:0 --seed 7 $flag
done
(cd tests/clients && timeout 60 node strict.mjs "http://$(address ours admin)" "http://$(address strict admin)" \
    "http://$(address ours2 admin)" "http://$(address strict2 admin)") >"$tmp/out" 2>"$tmp/client.err" ||
    fail "each defect is there when asked for, and only then"
# A reset by the upstream is one for the client; the original makes it an end.
for row in "ours reset" "strict end"; do
	got=$(timeout 60 python3 tests/clients/resets.py "$(address "${row% *}" admin)")
	check "$row: $got" test "$got" = "reset ${row#* }
limit ok"
done
