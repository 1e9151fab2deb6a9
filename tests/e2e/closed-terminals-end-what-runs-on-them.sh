# A closed terminal ends a kf-chaos and a kf-gateway that were started on it,
# but not under nohup; SIGHUP alone makes the gateway reload.
. tests/lib.sh
need python3
echo 'providers: [{name: p, base_url: "http://127.0.0.1:1"}]' >"$tmp/conf.yaml"
cat >"$tmp/on_terminal.py" <<'END'
import os, pty, select, signal, sys
nohup, args = sys.argv[1] == "nohup", sys.argv[2:]
pid, master = pty.fork()
if pid == 0:
    if nohup:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    os.execv(args[0], args)
said = b""
while b"ready " not in said or not said.endswith(b"\n"):
    said += os.read(master, 4096)
os.close(master)
fd = os.pidfd_open(pid)
ended = bool(select.select([fd], [], [], 1 if nohup else 10)[0])
if not ended:
    os.kill(pid, signal.SIGTERM)
_, status = os.waitpid(pid, 0)
print("ended" if ended else "stayed", os.waitstatus_to_exitcode(status))
END
row() { # WANT HOW COMMAND...
	expected=$1
	shift
	exits 0 python3 "$tmp/on_terminal.py" "$@"
	check "$1 ${2##*/}: $(cat "$tmp/out"), not $expected" [ "$(cat "$tmp/out")" = "$expected" ]
}
chaos="$BIN/kf-chaos --admin 127.0.0.1:0"
gateway="$BIN/kf-gateway --config $tmp/conf.yaml --listen 127.0.0.1:0 --admin 127.0.0.1:0"
row "ended 0" plain $chaos
row "ended 0" plain $gateway
row "stayed 0" nohup $chaos
row "stayed 0" nohup $gateway

# Who is not the child that it says it is ends at once.
exits 143 "$BIN"/kf-chaos --admin 127.0.0.1:0 --with-parent 1
exits 2 "$BIN"/kf-chaos --with-parent 0
