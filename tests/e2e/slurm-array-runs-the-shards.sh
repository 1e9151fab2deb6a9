# The job array of docs/scaling.md on a Slurm of one node that this script
# starts (munged, slurmctld, slurmd): every task runs its shard, a task that is
# started again goes on with it, and merge has the whole.
. tests/lib.sh
need jq
need python3
for program in munged slurmctld slurmd sbatch; do
	PATH=$PATH:/usr/sbin need $program
done
PATH=$PATH:/usr/sbin:$(cd "$BIN" && pwd)
kf=$BIN/kernelforge
node=$(hostname -s)
me=$(id -un)
set -- $(python3 -c 'import socket
s = [socket.socket() for _ in "12"]
[x.bind(("127.0.0.1", 0)) for x in s]
print(*(x.getsockname()[1] for x in s))')
mkdir "$tmp/state" "$tmp/spool" "$tmp/submit"
chmod 755 "$tmp"
export SLURM_CONF="$tmp/slurm.conf"
cat >"$SLURM_CONF" <<EOF
ClusterName=kernelforge
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=$1
SlurmdPort=$2
SlurmUser=$me
SlurmdUser=$me
AuthType=auth/munge
AuthInfo=socket=$tmp/munge.sock
CredType=cred/munge
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool
SlurmctldPidFile=$tmp/slurmctld.run
SlurmdPidFile=$tmp/slurmd.run
SlurmctldLogFile=$tmp/slurmctld.log
SlurmdLogFile=$tmp/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MailProg=/bin/true
NodeName=$node NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$node Default=YES State=UP
EOF
daemon() { # NAME CMD...
	name=$1
	shift
	"$@" >"$tmp/$name.out" 2>"$tmp/$name.err" &
	echo $! >"$tmp/$name.pid"
	started="$started $name"
}
head -c 1024 /dev/urandom >"$tmp/key"
chmod 400 "$tmp/key"
daemon munged munged -F --force --key-file "$tmp/key" --socket "$tmp/munge.sock" --pid-file "$tmp/munged.run" \
    --log-file "$tmp/munged.log" --seed-file "$tmp/munged.seed"
await test -S "$tmp/munge.sock"
daemon slurmctld slurmctld -D
daemon slurmd slurmd -D
ready() { sinfo -h -o %T 2>/dev/null | grep -q idle; }
( await ready ) 2>/dev/null || { echo "Slurm's node does not come up here: $(tail -n 1 "$tmp/slurmd.log")"; exit 77; }

dir=scenarios/rope_demo
jq --arg answers "$PWD/$dir/answers/" '{chaos, name: "array", seed, identity, agent, proxies: {models: {listen: "127.0.0.1:0", mode: "script", answers: $answers}}}
    | .agent.naive = false' $dir/scenario.json >"$tmp/submit/scenario.json"
start chaos "$BIN"/kf-chaos --scenario "$tmp/submit/scenario.json" --admin 127.0.0.1:0 --log "$tmp/chaos.jsonl"
awk '/^```sh/ { n++; text = ""; next } /^```/ { if (text ~ /#SBATCH/) printf "%s", text; text = ""; next } { text = text $0 "\n" }' \
    docs/scaling.md >"$tmp/submit/array.sh"
check "the page has a job array" grep -q '^#SBATCH --array' "$tmp/submit/array.sh"
submit() {
	(cd "$tmp/submit" && timeout 240 sbatch --wait --export="ALL,GATEWAY_URL=http://$(address chaos models)" \
	    --array=1-3 --cpus-per-task=1 array.sh) >"$tmp/sbatch.out" 2>"$tmp/sbatch.err"
}
submit || fail "the array runs ($(tail -n 3 "$tmp"/submit/slurm-*.out))"
exits 0 "$kf" merge "$tmp"/submit/out/*
check "the shards are the whole" grep -q '^3 of 3 operators verified' "$tmp/out"
answers() { cat "$tmp"/submit/out/*/ledger.jsonl | jq -s 'map(select(.state == "generated")) | length'; }
before=$(answers)
submit || fail "the array runs again"
exits 0 "$kf" merge "$tmp"/submit/out/*
check "the shards went on" test "$(jq -s 'map(.resumed) | add' "$tmp"/submit/out/*/run.json)" = 3
check "and asked nothing again" test "$(answers)" = "$before"
