# While packages are installed and programs built, run_demo.sh has one line on
# the terminal from the first moment on, and a log that is shown when it fails.
. tests/lib.sh
need tmux
mkdir "$tmp/tree" "$tmp/tree/scenarios" "$tmp/tree/scenarios/rope_demo" "$tmp/bin"
cp -r run_demo.sh demo "$tmp/tree/"
cp scenarios/rope_demo/scenario.json "$tmp/tree/scenarios/rope_demo/"
printf '#!/bin/sh\nexit 0\n' >"$tmp/tree/setup.sh"
# A make that has one line to say, and ends when it is told to.
cat >"$tmp/bin/make" <<END
#!/bin/sh
[ "\$1" != -q ] || exit 1
echo "  CC one"
read -r _ <"$tmp/go"
echo "two.c: no such luck"
exit 2
END
chmod +x "$tmp/tree/setup.sh" "$tmp/bin/make"
mkfifo "$tmp/go"
trap 'tmux -L "kf$$" kill-server 2>/dev/null || true; leave' EXIT
tmux -L "kf$$" -f /dev/null new-session -d -s v -x 80 -y 24 \
    "cd $tmp/tree && PATH=$tmp/bin:\$PATH TMPDIR=$tmp BIN=build sh run_demo.sh; echo ended \$?; cat"
shows() { tmux -L "kf$$" capture-pane -p -t v | grep -qE "$1"; }
await shows '^building: 1 lines$'
echo go >"$tmp/go"
await shows '^ended 2$'
shows 'no such luck' || fail "what failed is shown"
shows 'run_demo.sh: building: failed; all that was said is in' || fail "and where the rest of it is"
grep -q 'CC one' "$tmp"/tmp.* || fail "the log is kept"
! shows '^building' || fail "the line is gone at the end"
