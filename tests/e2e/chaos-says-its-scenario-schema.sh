# The schema for editors is what kf-chaos prints, and it agrees with the
# parser on good and bad files, as far as a schema can.
. tests/lib.sh
# What could not be written whole is no success.
if [ -c /dev/full ]; then
	for words in schema --help "audit --help" --man --version; do
		rc=0
		"$BIN"/kf-chaos $words >/dev/full 2>"$tmp/err" || rc=$?
		check "kf-chaos $words on a full disk is exit 3 and told: $(cat "$tmp/err")" test "$rc $(wc -l <"$tmp/err")" = "3 1"
	done
fi
need node
need_npm_clients
exits 0 "$BIN"/kf-chaos schema
check "the kept schema is the printed one (kf-chaos schema >scenarios/scenario.schema.json)" \
    cmp "$tmp/out" scenarios/scenario.schema.json
exits 2 "$BIN"/kf-chaos schema word
# The page that people read has each mode, too.
node -p 'JSON.parse(require("fs").readFileSync("scenarios/scenario.schema.json")).definitions.proxy.properties.mode.enum.join("\n")' >"$tmp/modes"
check "modes are found" test "$(wc -l <"$tmp/modes")" -ge 7
grep '^| `/proxies/NAME/mode` ' scenarios/README.md >"$tmp/row" || fail "scenarios/README.md has the modes"
while read -r mode; do
	check "scenarios/README.md has the mode $mode" grep -q "\`$mode\` (" "$tmp/row"
done <"$tmp/modes"
mkdir "$tmp/mutants"
exits 0 node tests/clients/schema.mjs "$BIN"/kf-chaos scenarios/scenario.schema.json "$tmp/mutants"
check "there were many" grep -Eq '^[0-9]{4} documents, .* 0 disagreements$' "$tmp/out"
# A schema that says less, or more, is found out.
sed 's/"maximum": 599/"maximum": 999999999999999/' scenarios/scenario.schema.json >"$tmp/less.json"
exits 1 node tests/clients/schema.mjs "$BIN"/kf-chaos "$tmp/less.json" "$tmp/mutants"
check "the place is named" grep -q '/status' "$tmp/err"
