# The Debian packages divide what make install puts in place, need what setup.sh
# installs, have the programs' version; and the units start programs that tell
# systemd when they serve, by configurations that are safe.
. tests/lib.sh
need python3
version=$("$BIN"/kernelforge --version | cut -d' ' -f2)
check "the changelog of the packages begins with $version" grep -q "^kernelforge ($version) " debian/changelog
check "CHANGELOG.md has $version" grep -q "^## $version\b" CHANGELOG.md

# Every file goes into one package; every line of a list finds a file.
root=$tmp/root
make -s O="$BIN" DESTDIR="$root" PREFIX=/usr install >"$tmp/out" 2>&1 || fail "install: $(tail -n 5 "$tmp/out")"
for list in debian/*.install debian/not-installed; do
	cut -d' ' -f1 "$list" | while read -r pattern; do
		found=$(cd "$root" && find $pattern -type f 2>/dev/null) || exit 1
		printf '%s\n' "$found"
	done || fail "$list: a line that finds nothing"
done | sort >"$tmp/packed"
(cd "$root" && find . -type f | sed 's|^\./||' | sort) >"$tmp/installed"
check "the packages hold what is installed, once" diff "$tmp/installed" "$tmp/packed"

# A page that cannot be made leaves the one that is there, and no half of it.
mkdir -p "$tmp/o/man"
echo whole >"$tmp/o/man/stub.1"
printf '#!/bin/sh\n[ "$1" = --commands ] || { echo half; exit 1; }\n' >"$tmp/stub"
chmod +x "$tmp/stub"
exits 2 make -s O="$tmp/o" PROGS="$tmp/stub" man
check "the page is whole" grep -qx whole "$tmp/o/man/stub.1"
check "and nothing lies beside it" [ "$(ls "$tmp/o")" = man ]

# "make deb O=DIR" says where the packages go, not where they are built.
O=elsewhere SAN=address make -n -f debian/rules override_dh_auto_build override_dh_auto_install override_dh_auto_test \
    O=elsewhere 2>/dev/null | grep -E 'dh_auto|[Uu][Nn][Ii][Tt]' >"$tmp/out"
[ "$(grep -c ' O=build SAN= SYSCONFDIR=/etc ' "$tmp/out")" = 3 ] || fail "a package has its own places: $(cat "$tmp/out")"

# The pages stay as they link to each other; the changelog of the package is none of them.
make -n -f debian/rules override_dh_compress >"$tmp/out"
check "lintian wants it compressed" grep -q '^gzip -9n debian/kernelforge/usr/share/doc/kernelforge/changelog$' "$tmp/out"

# What is built with is what setup.sh installs, but for what every Debian
# builder has and what only runs.
eval "$(sed -n "/^run=/,/'$/p" setup.sh)"
printf '%s\n' $run | grep -vxE 'gcc|make|libc6-dev|clang|oclgrind|pocl-opencl-icd' | sort >"$tmp/want"
sed -n '/^Build-Depends:/,/^[A-Z]/s/^ \([a-z0-9.-]*\).*,$/\1/p' debian/control | grep -v debhelper | sort >"$tmp/told"
check "Build-Depends is setup.sh's list" diff "$tmp/want" "$tmp/told"

units=$root/usr/lib/systemd/system
value() { sed -n "s/^$2=//p" "$units/$1.service"; }
for unit in kf-gateway kf-chaos; do
	for wanted in Type=notify DynamicUser=yes NoNewPrivileges=yes CapabilityBoundingSet= \
	    ProtectSystem=strict MemoryDenyWriteExecute=yes RestartPreventExitStatus=2 UMask=0077; do
		check "$unit has $wanted" grep -qxF "$wanted" "$units/$unit.service"
	done
	if command -v systemd-analyze >/dev/null 2>&1; then
		# With the programs where they are, as verify looks for them.
		sed "s|/usr/bin/|$(cd "$BIN" && pwd)/|" "$units/$unit.service" >"$tmp/$unit.service"
		SYSTEMD_LOG_LEVEL=err systemd-analyze verify --man=no "$tmp/$unit.service" >"$tmp/out" 2>&1 ||
		    fail "systemd-analyze verify: $(cat "$tmp/out")"
		# packaging/README.md says 1.1; the threshold is in tenths.
		SYSTEMD_LOG_LEVEL=err systemd-analyze security --offline=true --threshold=11 "$tmp/$unit.service" >"$tmp/out" 2>&1 ||
		    fail "$unit is as hardened as the page says: $(tail -n 1 "$tmp/out")"
	fi
done
# What a service was given to write in goes when its package is purged.
for unit in kf-gateway kf-chaos; do
	for given in lib:StateDirectory log:LogsDirectory; do
		name=$(value "$unit" "${given#*:}")
		for at in "" private/; do
			[ -z "$name" ] || check "a purge removes /var/${given%:*}/$at$name" grep -qw "/var/${given%:*}/$at$name" "debian/$unit.postrm"
		done
	done
done
# A copy that is made at the start would never see what a reload is for.
check "the gateway reads its configuration in place" test "$(value kf-gateway LoadCredential)" = ""
check "the gateway reloads" test "$(value kf-gateway ExecReload)" = '/bin/sh -c "kill -HUP $MAINPID"'
# On a small system there is no /bin/kill: what units start is ours, or what
# every Debian has.
for unit in "$units"/kf-*.service; do
	sed -n 's/^Exec[A-Za-z]*=[-+!:@]*\([^ ]*\).*/\1/p' "$unit" | grep -vxE '/usr/bin/kf-[a-z]+|/bin/sh' &&
	    fail "${unit##*/} starts what a small system may lack"
done
check "keys are root's" test "$(stat -c %a "$root/etc/kernelforge/gateway.env")" = 600
for env in "$root"/etc/kernelforge/*.env; do
	lacks "${env##*/} sets nothing by itself" -q "^[^#]" "$env"
done

# systemd's side of READY=1, and the line that the unit starts.
cat >"$tmp/manager.py" <<'END'
import os, socket, subprocess, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
s.settimeout(20)
name = sys.argv[1] if sys.argv[1][0] != "\0" else "@" + sys.argv[1][1:]
p = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, env=dict(os.environ, NOTIFY_SOCKET=name))
said = s.recv(64)
p.terminate()
sys.exit(said != b"READY=1" or p.wait() != 0)
END
started() { # UNIT OPTION...: its line, with what systemd would fill in
	unit=$1
	shift
	line=$(value "$unit" ExecStart | sed "s|/usr/bin|$BIN|; s|/etc/kernelforge|$root/etc/kernelforge|; s|\${[A-Z]*_DIRECTORY}|$tmp|; s| \$KF_[A-Z]*_OPTIONS||")
	python3 "$tmp/manager.py" "$tmp/notify-$unit" $line "$@"
}
check "kf-gateway tells systemd" started kf-gateway --listen 127.0.0.1:0 --admin 127.0.0.1:0
check "kf-chaos tells systemd" started kf-chaos --admin 127.0.0.1:0
check "the log is its own" test "$(stat -c %a "$tmp/gateway.jsonl")" = 600
# Nobody there, no such place, not a place: it serves all the same.
for socket in "$tmp/nobody" relative "/$(printf %0200d 1)" ''; do
	NOTIFY_SOCKET=$socket start deaf "$BIN"/kf-chaos --admin 127.0.0.1:0
	stop deaf
	check "deaf to \"$socket\"" [ $stopped = 0 ]
	rm "$tmp/deaf.ready"
done
