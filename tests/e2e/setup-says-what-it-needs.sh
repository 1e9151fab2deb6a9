# setup.sh installs what is missing, leaves out what is optional and not
# offered, and where it cannot install exits 3 with the one command that does.
. tests/lib.sh

# A machine: dpkg knows what is in $tmp/here, apt offers what is in $tmp/offered.
mkdir "$tmp/bin"
cat >"$tmp/bin/dpkg-query" <<END
#!/bin/sh
for last; do :; done
grep -qx "\$last" "$tmp/here" && echo 'install ok installed'
END
cat >"$tmp/bin/apt-cache" <<END
#!/bin/sh
grep -qx "\$2" "$tmp/offered" && printf '%s:\n  Candidate: 1\n' "\$2" || printf '%s:\n  Candidate: (none)\n' "\$2"
END
cat >"$tmp/bin/apt-get" <<END
#!/bin/sh
echo "\$@" >>"$tmp/asked"
! grep -q "busy" "$tmp/state" || { : >"$tmp/state"; echo "E: Could not get lock /x. It is held by process 1 (apt-get)" >&2; exit 100; }
case "\$*" in
*install*) ! grep -q broken "$tmp/state" || { echo "E: Unable to fetch some archives" >&2; exit 100; }
	for p; do echo "\$p"; done >>"$tmp/here" ;;
esac
END
printf '#!/bin/sh\ncat "%s"\n' "$tmp/uid" >"$tmp/bin/id"
printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/sudo"
printf '#!/bin/sh\n' >"$tmp/bin/sleep"
chmod +x "$tmp"/bin/*
for c in sh sed grep tail mktemp rm env dirname cat; do ln -s "$(command -v $c)" "$tmp/bin/$c"; done
setup() { # EXIT ARGS...
	want=$1
	shift
	: >"$tmp/asked"
	exits "$want" env PATH="$tmp/bin" sh setup.sh "$@"
	cat "$tmp/out" "$tmp/err" >"$tmp/said"
}
machine() { # UID STATE
	echo "$1" >"$tmp/uid"
	echo "$2" >"$tmp/state"
	: >"$tmp/here"
}
eval "$(sed -n '/^run=/,/^check=/p' setup.sh)"
everything() { printf '%s\n' $run; }
everything >"$tmp/offered"

machine 0 well
setup 0 run
check "the lists come first" [ "$(head -n 1 "$tmp/asked" | grep -c update)" = 1 ]
check "all is installed" grep -q 'install.*--no-install-recommends gcc .*clang oclgrind' "$tmp/asked"
setup 0 run
check "then nothing is asked" [ ! -s "$tmp/asked" ]
check "nor said" [ ! -s "$tmp/said" ]

everything | grep -v oclgrind >"$tmp/offered"
machine 0 well
setup 0 run
check "what is not offered is left out" [ "$(grep -c oclgrind "$tmp/asked")" = 0 ]
check "and told, with what it costs" grep -q 'has no oclgrind: races' "$tmp/said"
setup 0 run
check "once" [ ! -s "$tmp/said" ]

machine 0 busy
setup 0 run
check "a lock is waited for" grep -q 'another apt-get is at work' "$tmp/said"
check "and then it goes on" grep -qx gcc "$tmp/here"

machine 0 broken
setup 3 run
check "apt's own reason" grep -q 'Unable to fetch' "$tmp/said"
check "the command, for root" grep -q '^  apt-get update && apt-get install -y --no-install-recommends gcc ' "$tmp/said"

machine 1000 well
setup 3 run
check "the command, for others" grep -q '^  sudo apt-get update && sudo apt-get install -y --no-install-recommends gcc ' "$tmp/said"
check "nothing was tried" [ ! -s "$tmp/asked" ]

everything >"$tmp/offered"
everything | grep -v oclgrind >"$tmp/here"
setup 0 run
check "what is optional stops nobody" grep -q 'recommends oclgrind$' "$tmp/said"
exits 2 sh setup.sh walk

# npm comes as its own archive, and what goes wrong with it is said.
mkdir -p "$tmp/project/tests/clients"
cp setup.sh "$tmp/project"
printf '%s\n' $run $test >"$tmp/here"
for c in mkdir openssl tar touch ls; do ln -s "$(command -v $c)" "$tmp/bin/$c"; done
cat >"$tmp/bin/curl" <<'END'
#!/bin/sh
echo garbage >"$3"
END
printf '#!/bin/sh\n' >"$tmp/bin/node"
chmod +x "$tmp/bin/curl" "$tmp/bin/node"
npm() { exits 0 env PATH="$tmp/bin" npm_config_registry=http://127.0.0.1:9 sh "$tmp/project/setup.sh" test; }
npm
check "another archive is not taken" grep -q 'npm-.*.tgz: not the archive' "$tmp/err"
printf '#!/bin/sh\necho "curl: (6) no network" >&2; exit 6\n' >"$tmp/bin/curl"
npm
check "nor is one without network" grep -q 'curl: (6) no network' "$tmp/err"
check "and what follows from it is said" grep -q 'tests with npm clients will skip' "$tmp/err"
printf '#!/bin/sh\necho "npm ERR! $*" >&2; for i in 1 2 3 4 5 6 7; do printf "npm ERR! \\nnpm ERR! usage\\n" >&2; done; exit 1\n' >"$tmp/bin/npm"
chmod +x "$tmp/bin/npm"
npm
check "an npm that is there is used, and its reason shown" grep -q 'npm ERR! ci --prefix tests/clients' "$tmp/err"
printf '#!/bin/sh\nmkdir -p tests/clients/node_modules\n' >"$tmp/bin/npm"
npm
check "a good one is silent" [ ! -s "$tmp/err" ]
