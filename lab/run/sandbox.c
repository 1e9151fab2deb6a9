/*
 * The sandbox of a lab child: resource limits, no capabilities, Landlock,
 * seccomp.
 *
 * While the candidate's text is being compiled, only our own compiler runs,
 * so that step denies what a compiler never needs and lets PoCL fork and
 * execute the linker (Landlock: only the linker and its loader).  When the
 * candidate's machine code runs, the order is turned round: a short list of
 * calls is allowed, a list of telling ones raises SIGSYS, which the child
 * reports, and the rest fails with EPERM.
 *
 * Both filters check the architecture (libseccomp kills on a foreign one).
 * The tables below are the policy; the code only walks them.
 */
#include "lab/run/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define READ_ONLY (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define EXECUTE   (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE)
/* All rights up to REFER, without which PoCL cannot rename into its cache:
 * Landlock's second version (Linux 5.19); an older one is not used. */
#define EVERYTHING ((LANDLOCK_ACCESS_FS_REFER << 1) - 1)

/* Nobody needs these, neither the compiler nor a kernel. */
static const int denied_calls[] = {
	SCMP_SYS(accept),
	SCMP_SYS(accept4),
	SCMP_SYS(add_key),
	SCMP_SYS(bind),
	SCMP_SYS(bpf),
	SCMP_SYS(chroot),
	SCMP_SYS(connect),
	SCMP_SYS(finit_module),
	SCMP_SYS(init_module),
	SCMP_SYS(io_uring_setup),
	SCMP_SYS(kexec_load),
	SCMP_SYS(keyctl),
	SCMP_SYS(kill),
	SCMP_SYS(listen),
	SCMP_SYS(memfd_create),
	SCMP_SYS(mount),
	SCMP_SYS(open_by_handle_at),
	SCMP_SYS(perf_event_open),
	SCMP_SYS(personality),
	SCMP_SYS(pidfd_getfd),
	SCMP_SYS(pidfd_open),
	SCMP_SYS(pidfd_send_signal),
	SCMP_SYS(pivot_root),
	SCMP_SYS(process_vm_readv),
	SCMP_SYS(process_vm_writev),
	SCMP_SYS(ptrace),
	SCMP_SYS(reboot),
	SCMP_SYS(request_key),
	SCMP_SYS(rt_sigqueueinfo),
	SCMP_SYS(rt_tgsigqueueinfo),
	SCMP_SYS(setns),
	SCMP_SYS(setpgid),
	SCMP_SYS(setsid),
	SCMP_SYS(socket),
	SCMP_SYS(socketpair),
	SCMP_SYS(swapon),
	SCMP_SYS(tkill),
	SCMP_SYS(umount2),
	SCMP_SYS(unshare),
	SCMP_SYS(userfaultfd),
};

/* Once candidate code runs, these too tell of an attack. */
static const int run_denied_calls[] = {
	SCMP_SYS(clone),
	SCMP_SYS(clone3),
	SCMP_SYS(execve),
	SCMP_SYS(execveat),
	SCMP_SYS(fork),
	SCMP_SYS(kill),
	SCMP_SYS(tkill),
	SCMP_SYS(vfork),
};

/* What PoCL and libc call while a compiled kernel runs. */
static const int run_allowed_calls[] = {
	SCMP_SYS(access),
	SCMP_SYS(brk),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(close),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	SCMP_SYS(faccessat2),
	SCMP_SYS(fstat),
	SCMP_SYS(futex),
	SCMP_SYS(getcwd),
	SCMP_SYS(getpid),
	SCMP_SYS(getrandom),
	SCMP_SYS(gettid),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(lseek),
	SCMP_SYS(madvise),
	SCMP_SYS(mremap),
	SCMP_SYS(munmap),
	SCMP_SYS(newfstatat),
	SCMP_SYS(pread64),
	SCMP_SYS(read),
	SCMP_SYS(readlink),
	SCMP_SYS(recvfrom),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sched_getaffinity),
	SCMP_SYS(sched_yield),
	SCMP_SYS(seccomp), /* it only ever tightens: for the seal */
	SCMP_SYS(sendto),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(stat),
	SCMP_SYS(write),
};

/* Calls that depend on an argument: allowed where its masked bits are these,
 * or denied.  What is not matched by any rule is left as it is. */
struct argument_rule {
	int call;
	unsigned argument;
	uint64_t mask, value;
};

#define WRITES (O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))
#define WX     (PROT_WRITE | PROT_EXEC)

static const struct argument_rule run_allowed_arguments[] = {
	{ SCMP_SYS(fcntl), 1, ~UINT64_C(0), F_GETFD },
	{ SCMP_SYS(fcntl), 1, ~UINT64_C(0), F_GETFL },
	{ SCMP_SYS(fcntl), 1, ~UINT64_C(0), F_SETFD },
	/* Memory is written or executed; the loader maps what it executes. */
	{ SCMP_SYS(mmap), 2, PROT_EXEC, 0 },
	{ SCMP_SYS(mmap), 2, WX, PROT_EXEC },
	{ SCMP_SYS(mprotect), 2, PROT_EXEC, 0 },
	{ SCMP_SYS(openat), 2, WRITES, O_RDONLY },
};

static const struct argument_rule run_trapped_arguments[] = {
	{ SCMP_SYS(mmap), 2, WX, WX },
	{ SCMP_SYS(mprotect), 2, PROT_EXEC, PROT_EXEC },
};

/* Nothing more is loaded. */
static const int sealed_calls[] = {
	SCMP_SYS(access),
	SCMP_SYS(faccessat2),
	SCMP_SYS(getcwd),
	SCMP_SYS(newfstatat),
	SCMP_SYS(openat),
	SCMP_SYS(readlink),
	SCMP_SYS(seccomp),
	SCMP_SYS(stat),
};

static const struct argument_rule sealed_arguments[] = {
	{ SCMP_SYS(mmap), 2, PROT_EXEC, PROT_EXEC },
};

/* What may be read, and the loader, which may be executed: without it
 * nothing else can be. */
static const struct {
	const char *path;
	uint64_t access;
} landlock_paths[] = {
	{ ".", EVERYTHING & ~(uint64_t)LANDLOCK_ACCESS_FS_EXECUTE },
	{ "/dev/null",
	    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE },
	{ "/etc/OpenCL", READ_ONLY },
	{ "/etc/ld.so.cache", LANDLOCK_ACCESS_FS_READ_FILE },
	{ "/lib", READ_ONLY },
	{ "/lib64", READ_ONLY },
	{ "/lib64/ld-linux-x86-64.so.2", EXECUTE },
	{ "/proc/cpuinfo", LANDLOCK_ACCESS_FS_READ_FILE },
	{ "/proc/meminfo", LANDLOCK_ACCESS_FS_READ_FILE },
	{ "/proc/self", READ_ONLY },
	{ "/sys/devices/system", READ_ONLY },
	{ "/usr", READ_ONLY },
};

static const struct {
	uint32_t bit;
	const char *name;
} feature_names[] = {
	{ SANDBOX_RLIMITS, "rlimits" },
	{ SANDBOX_NETNS, "netns" },
	{ SANDBOX_LANDLOCK, "landlock" },
	{ SANDBOX_SECCOMP, "seccomp" },
	{ SANDBOX_POWERLESS, "powerless" },
	{ SANDBOX_OBJECTS, "objects" },
};

static bool give_up_power(void);
static bool limit_resources(const struct sandbox_limits *limits);
static bool landlock_enter(const char *program);
static bool seccomp_for_build(bool may_execute);
static bool seccomp_for_run(void);
static bool seccomp_to_seal(void);
static void names_of(uint32_t features, char *out, size_t size);

uint32_t
sandbox_isolate(void)
{
	/* Root may at once; others only inside a user namespace, which some
	 * systems deny them (then the network is the filter's to close). */
	if (unshare(CLONE_NEWNET) == 0)
		return SANDBOX_NETNS;
	return unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 ? SANDBOX_NETNS : 0;
}

/* The linker, for PoCL. */
#define LINKER "/usr/bin/ld"

/* program: what may be executed; NULL: nothing. */
static enum err
enter(const struct sandbox_limits *limits, const char *program, uint32_t *ret,
    struct why *why)
{
	uint32_t features = 0;

	/* So that no other child of the same user may attach to this one or
	 * open its memory under /proc. */
	prctl(PR_SET_DUMPABLE, 0);
	if (!limit_resources(limits) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return why_set(why, ERR_ENV, "sandbox: no resource limits: %s",
		    strerror(errno));
	features |= SANDBOX_RLIMITS;
	if (give_up_power())
		features |= SANDBOX_POWERLESS;
	if (landlock_enter(program))
		features |= SANDBOX_LANDLOCK;
	if (seccomp_for_build(program != NULL))
		features |= SANDBOX_SECCOMP;
	*ret = features;
	return ERR_OK;
}

enum err
sandbox_for_build(const struct sandbox_limits *limits, bool is_replay,
    uint32_t *ret, struct why *why)
{
	return enter(limits, is_replay ? NULL : LINKER, ret, why);
}

enum err
sandbox_for_tool(const struct sandbox_limits *limits, const char *path,
    struct why *why)
{
	uint32_t features;

	return enter(limits, path, &features, why);
}

enum err
sandbox_for_run(uint32_t features, struct why *why)
{
	struct rlimit none = { 0, 0 };

	/* Only now: before it, PoCL's linker had to be a process and its object
	 * a file.  Lowering a limit is never refused. */
	setrlimit(RLIMIT_NPROC, &none);
	setrlimit(RLIMIT_FSIZE, &none);
	if ((features & SANDBOX_SECCOMP) && !seccomp_for_run())
		return why_set(why, ERR_ENV, "sandbox: seccomp: %s",
		    strerror(errno));
	return ERR_OK;
}

enum err
sandbox_seal(uint32_t features, struct why *why)
{
	if ((features & SANDBOX_SECCOMP) && !seccomp_to_seal())
		return why_set(why, ERR_ENV, "sandbox: seccomp: %s",
		    strerror(errno));
	return ERR_OK;
}

void
sandbox_describe(uint32_t features, char *out, size_t size)
{
	names_of(features, out, size);
}

void
sandbox_missing(uint32_t features, char *out, size_t size)
{
	names_of(~features, out, size);
}

static void
names_of(uint32_t features, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < COUNT(feature_names); i++)
		if ((features & feature_names[i].bit) && at < size)
			at += (size_t)snprintf(out + at, size - at, "%s%s",
			    at ? ", " : "", feature_names[i].name);
}

/* Whom root becomes: "nobody". */
#define NOBODY 65534

/* Where root is not who it is called, in a container, it stays. */
static bool
leave_root(void)
{
	if (geteuid() != 0)
		return true;
	/* In this order: each step needs what the next one gives up. */
	return chown(".", NOBODY, NOBODY) == 0 && setgroups(0, NULL) == 0 &&
	    setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
	    setresuid(NOBODY, NOBODY, NOBODY) == 0;
}

/* The work folder goes along.  What has no power left has none over files
 * and processes of root's either. */
static bool
give_up_power(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct none[2] = { { 0 } };
	bool is_other, is_powerless;
	pid_t parent = getppid();
	int on_death = 0;

	prctl(PR_GET_PDEATHSIG, &on_death);

	/* Before root is left, which is what may still do it; the first number
	 * that the kernel does not know ends the list. */
	for (unsigned long c = 0; prctl(PR_CAPBSET_READ, c, 0, 0, 0) >= 0; c++)
		prctl(PR_CAPBSET_DROP, c, 0, 0, 0);
	is_other = leave_root();
	is_powerless = syscall(SYS_capset, &head, none) == 0;
	/* Linux forgets both when credentials change. */
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_PDEATHSIG, on_death);
	/* Our parent may have died in between, and a signal that is asked for
	 * after that never comes. */
	if (on_death && getppid() != parent)
		_exit(1);
	return is_powerless && is_other;
}

static uint64_t
address_bytes_now(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool
limit_resources(const struct sandbox_limits *limits)
{
	/* On top of what is mapped now: the compiler's library came along from
	 * the zygote, and is not the child's doing. */
	uint64_t address = address_bytes_now() + limits->address_bytes;
	const struct {
		__rlimit_resource_t what;
		rlim_t max;
	} rows[] = {
		{ RLIMIT_CORE, 0 },
		{ RLIMIT_CPU, limits->cpu_s },
		{ RLIMIT_AS, address },
		{ RLIMIT_FSIZE, limits->file_bytes },
		{ RLIMIT_NOFILE, 64 },
		{ RLIMIT_MEMLOCK, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct rlimit r = { rows[i].max, rows[i].max };

		if (setrlimit(rows[i].what, &r) != 0)
			return false;
	}
	return true;
}

static void
landlock_allow(int ruleset, const char *path, uint64_t access)
{
	struct landlock_path_beneath_attr a = { .allowed_access = access };

	a.parent_fd = open(path, O_PATH | O_CLOEXEC);
	/* Not every system has every one of these folders; what is missing
	 * needs no leave. */
	if (a.parent_fd < 0)
		return;
	syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &a,
	    0);
	close(a.parent_fd);
}

static bool
landlock_enter(const char *program)
{
	struct landlock_ruleset_attr all = { .handled_access_fs = EVERYTHING };
	int ruleset;
	bool ok;

	ruleset =
	    (int)syscall(SYS_landlock_create_ruleset, &all, sizeof all, 0);
	if (ruleset < 0)
		return false;
	for (size_t i = 0; i < COUNT(landlock_paths); i++)
		landlock_allow(ruleset, landlock_paths[i].path,
		    landlock_paths[i].access);
	if (program)
		landlock_allow(ruleset, program, EXECUTE);
	ok = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
	close(ruleset);
	return ok;
}

static bool
add_rules(scmp_filter_ctx ctx, uint32_t action, const int *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (seccomp_rule_add(ctx, action, calls[i], 0) != 0)
			return false;
	return true;
}

static bool
add_argument_rules(scmp_filter_ctx ctx, uint32_t action,
    const struct argument_rule *rules, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (seccomp_rule_add(ctx, action, rules[i].call, 1,
		        SCMP_CMP(rules[i].argument, SCMP_CMP_MASKED_EQ,
		            rules[i].mask, rules[i].value)) != 0)
			return false;
	return true;
}

/* A signal to a thread: of this process alone. */
static bool
add_signal_rules(scmp_filter_ctx ctx, uint32_t own, uint32_t others)
{
	uint64_t pid = (uint64_t)getpid();

	return seccomp_rule_add(ctx, own, SCMP_SYS(tgkill), 1,
	           SCMP_CMP(0, SCMP_CMP_EQ, pid, 0)) == 0 &&
	    seccomp_rule_add(ctx, others, SCMP_SYS(tgkill), 1,
	        SCMP_CMP(0, SCMP_CMP_NE, pid, 0)) == 0;
}

static bool
seccomp_for_build(bool may_execute)
{
	static const int execute_calls[] = {
		SCMP_SYS(execve),
		SCMP_SYS(execveat),
	};
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	bool ok;

	if (!ctx)
		return false;
	ok = add_rules(ctx, SCMP_ACT_ERRNO(EPERM), denied_calls,
	         COUNT(denied_calls)) &&
	    (may_execute ||
	        add_rules(ctx, SCMP_ACT_ERRNO(EPERM), execute_calls,
	            COUNT(execute_calls))) &&
	    seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(tgkill), 1,
	        SCMP_CMP(0, SCMP_CMP_NE, (uint64_t)getpid(), 0)) == 0 &&
	    seccomp_load(ctx) == 0;
	seccomp_release(ctx);
	return ok;
}

/* A driver's threads run the candidate's code, too; they have been started
 * behind the first filter, and get the others with us. */
static bool
for_all_threads(scmp_filter_ctx ctx)
{
	return seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1) == 0;
}

static bool
seccomp_for_run(void)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	bool ok;

	if (!ctx)
		return false;
	ok = for_all_threads(ctx) &&
	    add_rules(ctx, SCMP_ACT_ALLOW, run_allowed_calls,
	        COUNT(run_allowed_calls)) &&
	    add_rules(ctx, SCMP_ACT_TRAP, run_denied_calls,
	        COUNT(run_denied_calls)) &&
	    add_argument_rules(ctx, SCMP_ACT_ALLOW, run_allowed_arguments,
	        COUNT(run_allowed_arguments)) &&
	    add_argument_rules(ctx, SCMP_ACT_TRAP, run_trapped_arguments,
	        COUNT(run_trapped_arguments)) &&
	    add_signal_rules(ctx, SCMP_ACT_ALLOW, SCMP_ACT_TRAP) &&
	    seccomp_load(ctx) == 0;
	seccomp_release(ctx);
	return ok;
}

static bool
seccomp_to_seal(void)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	bool ok;

	if (!ctx)
		return false;
	/* libseccomp would set no_new_privs again, by a prctl() that the second
	 * filter no longer allows; it has been set since the first. */
	ok = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_NNP, 0) == 0 &&
	    for_all_threads(ctx) &&
	    add_rules(ctx, SCMP_ACT_ERRNO(EPERM), sealed_calls,
	        COUNT(sealed_calls)) &&
	    add_argument_rules(ctx, SCMP_ACT_TRAP, sealed_arguments,
	        COUNT(sealed_arguments)) &&
	    seccomp_load(ctx) == 0;
	seccomp_release(ctx);
	return ok;
}
