# What the proxies' benches share: programs of others beside ours, and medians.
# Sourced behind tests/lib.sh, which ends what is started and gives $tmp.

# Of the numbers on standard input.
median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# One of 12,000 ports below those that the system gives to clients; N: another
# one for each program, far from the last.
free_port() { # N
	echo $((20000 + ($$ + 1009 * $1) % 12000))
}

background() { # NAME CMD...
	name=$1
	shift
	"$@" >"$tmp/$name.out" 2>&1 &
	echo $! >"$tmp/$name.pid"
	started="$started $name"
}
