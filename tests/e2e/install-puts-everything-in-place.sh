# make install puts programs, manual pages, completion, presets and units where
# they belong; the installed programs find what they need; uninstall takes all
# of it away.
. tests/lib.sh
root=$tmp/root
make -s O="$BIN" DESTDIR="$root" PREFIX=/usr install >"$tmp/out" 2>&1 || fail "install: $(tail -n 5 "$tmp/out")"
for program in kernelforge kf-gateway kf-chaos kf-view; do
	check "$program runs" "$root/usr/bin/$program" --version
	page=$root/usr/share/man/man1/$program.1
	check "$program has a page" grep -q '^\.SH SYNOPSIS' "$page"
	for command in $("$root/usr/bin/$program" --commands 2>/dev/null); do
		page=$root/usr/share/man/man1/$program-$command.1
		check "$program $command has a page" grep -q '^\.SH OPTIONS' "$page"
		# What --help tells of, the page tells of too.
		"$root/usr/bin/$program" "$command" --help | sed -n 's/^  --\([a-z-]*\).*/\1/p' | while read -r option; do
			grep -q -- "\\\\-\\\\-$(echo "$option" | sed 's/-/\\\\-/g')" "$page" || exit 1
		done || fail "$program $command's page tells of every option"
	done
	check "bash reads $program's completion" bash -n "$root/usr/share/bash-completion/completions/$program"
done
completed=$(bash -c '. "$1"; COMP_WORDS=(kf-chaos ver); COMP_CWORD=1; _kf_chaos; echo "${COMPREPLY[*]}"' - \
    "$root/usr/share/bash-completion/completions/kf-chaos")
check "a command is completed" test "$completed" = verify

# What a shell would offer behind these words, in a folder with one file.
offered() { # WORD... and what is begun
	mkdir -p "$tmp/here"
	: >"$tmp/here/afile"
	(cd "$tmp/here" && bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _'"$(echo "$1" | tr - _)"'; echo "${COMPREPLY[*]}"' - \
	    "$root/usr/share/bash-completion/completions/$1" "$@")
}
check "a file where a file is wanted" [ "$(offered kernelforge run --out '')" = afile ]
check "the same behind =" [ "$(offered kernelforge run --out = a)" = afile ]
check "nothing where a number is" [ -z "$(offered kernelforge run --seed '')" ]
check "nor behind =" [ -z "$(offered kernelforge run --seed =)" ]
check "no file where a command is wanted" [ "$(offered kernelforge led)" = ledger ]
check "no command behind an option's value" [ "$(offered kernelforge run --out d --without-nai)" = "" ]
check "an option behind one with a value" [ "$(offered kernelforge run --out d --see)" = --seed ]
check "a file for who takes one" [ "$(offered kf-view '')" = afile ]

# Far from the tree, the presets are found where they were installed.
printf '{"chaos":1,"name":"x","seed":"1","proxies":{"m":{"listen":"127.0.0.1:0","mode":"standin"}}}' >"$tmp/s.json"
(cd "$tmp" && exec "$root/usr/bin/kf-chaos" --scenario s.json --preset realistic --admin 127.0.0.1:0 >chaos.out 2>chaos.err) &
pid=$!
await grep -q '^ready ' "$tmp/chaos.out"
kill "$pid"
wait "$pid" || fail "kf-chaos ends well: $(cat "$tmp/chaos.err")"

for unit in "$root"/usr/lib/systemd/system/kf-*.service; do
	check "${unit##*/} starts what was installed" grep -q '^ExecStart=/usr/bin/kf-' "$unit"
	check "${unit##*/} is hardened" grep -q '^NoNewPrivileges=yes' "$unit"
done
make -s O="$BIN" DESTDIR="$root" PREFIX=/usr uninstall >"$tmp/out" 2>&1 || fail "uninstall"
left=$(find "$root" -type f)
check "nothing is left: $left" test -z "$left"

# A prefix of one's own has its configuration below it, and what is installed
# there knows of no other; the system's prefixes have /etc.
own=$tmp/own
make -s O="$BIN" PREFIX="$own" install >"$tmp/out" 2>&1 || fail "install into a folder of one's own: $(tail -n 5 "$tmp/out")"
check "its configuration is there" [ -e "$own/etc/kernelforge/gateway.yaml" ]
check "and is good" "$own/bin/kf-gateway" check "$own/etc/kernelforge/gateway.yaml"
lacks "nothing there is told of /etc" -rnE '(^|[^a-z])/etc/kernelforge' "$own/etc" "$own/lib"
check "its unit reads it" grep -qF -- "--config $own/etc/kernelforge/gateway.yaml" "$own/lib/systemd/system/kf-gateway.service"
make -s O="$BIN" PREFIX="$own" uninstall >"$tmp/out" 2>&1 || fail "uninstall from there"
left=$(find "$own" -type f)
check "nothing is left: $left" test -z "$left"
while read -r want given; do
	told=$(printf 'include packaging/packaging.mk\nsay:\n\t@echo $(ETC)\n' | make -s -f - O="$tmp/x" DESTDIR= $given say)
	check "$given has its configuration in $want, not in $told" [ "$told" = "$want" ]
done <<-END
	/etc/kernelforge
	/etc/kernelforge PREFIX=/usr
	/etc/kernelforge PREFIX=/usr/local/
	/opt/kf/etc/kernelforge PREFIX=/opt/kf
	/srv/kernelforge PREFIX=/opt/kf SYSCONFDIR=/srv
END
