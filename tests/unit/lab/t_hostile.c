/*
 * Hostile kernels with the gates switched off, one after the other.
 *
 * First without the gates that read text: PoCL is given a kernel whose pragmas
 * put machine code into a table and the table into the initialisers.  What it
 * makes must be refused before it is loaded.
 *
 * Then without any gate: objects with an initialiser that does what a kernel
 * must not are loaded in the strict sandbox, as if all had been passed.  A
 * process beside it must live, and nothing may be left.
 *
 * And the process that all children are forked from knows no secret of the
 * program's, neither in its environment nor in its memory.
 */
#include "lab/run/child_handle.h"
#include "lab/run/sandbox.h"

#include "base/files.h"
#include "base/mem.h"
#include "tests/unit.h"
#include "tests/unit/lab/kit.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEADLINE_MS 60000
#define NO_SANDBOX  77 /* exit status: nothing was loaded */

/* Eight tables, so that no compiler makes a choice of them. */
#define TABLE(n)                                                               \
	"__constant uint t" #n "[] = { 0xc3c3c3c3, 0x12c3c3c" #n ", " #n       \
	" * 77, 9 };\n"
#define TABLES                                                                 \
	TABLE(0)                                                               \
	TABLE(1) TABLE(2) TABLE(3) TABLE(4) TABLE(5) TABLE(6) TABLE(7)
#define ALL_TABLES "{ t0, t1, t2, t3, t4, t5, t6, t7 };\n"
#define KERNEL                                                                 \
	"__kernel void k(__global uint *out, uint v)\n"                        \
	"{ out[get_global_id(0)] = "                                           \
	"start[(get_global_id(0) + v) & 7][v & 3]; }\n"

/* clang-format off */
static const struct {
	const char *what, *source;
	enum answer_kind want;
} sources[] = {
	{ "a kernel", "__kernel void k(__global uint *out, uint v) { out[get_global_id(0)] = v; }\n", ANSWER_BUILT },
	{ "an initialiser", "#pragma clang section rodata=\".text\"\n" TABLES
	  "#pragma clang section relro=\".init_array\" rodata=\".init_array\"\n"
	  "__constant uint *__constant start[] = " ALL_TABLES KERNEL, ANSWER_REFUSED },
	{ "one at the end", "#pragma clang section rodata=\".text\"\n" TABLES
	  "#pragma clang section relro=\".fini_array\" rodata=\".fini_array\"\n"
	  "__constant uint *__constant start[] = " ALL_TABLES KERNEL, ANSWER_REFUSED },
	{ "addresses in a constant", TABLES
	  "__constant uint *__constant start[] = " ALL_TABLES KERNEL, ANSWER_REFUSED },
	{ "a section of its own", "#pragma clang section rodata=\"mine\"\n" TABLE(0)
	  "__kernel void k(__global uint *out, uint v) { out[get_global_id(0)] = t0[v & 3]; }\n", ANSWER_REFUSED },
	{ "the C library", "int system(__constant char *); __kernel void k(__global uint *out, uint v) { out[0] = system(\"id\"); }\n", ANSWER_COMPILE_ERROR },
};

/* What an initialiser does; VICTIM is another process of this user. */
static const struct {
	const char *what, *body;
} objects[] = {
	{ "kills", "kill(VICTIM, 9);" },
	{ "kills a thread", "syscall(SYS_tgkill, VICTIM, VICTIM, 9);" },
	{ "kills by a thread's number", "syscall(SYS_tkill, VICTIM, 9);" },
	{ "kills by queue", "siginfo_t i = { .si_code = SI_QUEUE }; syscall(SYS_rt_sigqueueinfo, VICTIM, 9, &i);" },
	{ "kills by a handle", "syscall(SYS_pidfd_send_signal, syscall(SYS_pidfd_open, VICTIM, 0), 9, 0, 0);" },
	{ "forks", "if (fork() == 0) { while (open(LEFT, O_CREAT | O_WRONLY, 0666) < 0) ; _exit(0); }" },
	{ "clones", "syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); open(LEFT, O_CREAT | O_WRONLY, 0666);" },
	{ "executes", "execl(\"/bin/sh\", \"sh\", \"-c\", \"kill -9 \" STRING(VICTIM), (char *)0);" },
	{ "traces", "ptrace(PTRACE_ATTACH, VICTIM, 0, 0); ptrace(PTRACE_KILL, VICTIM, 0, 0);" },
	{ "writes another's memory", "char b[1] = { 0 }; struct iovec l = { b, 1 }, r = { (void *)0x400000, 1 }; if (process_vm_writev(VICTIM, &l, 1, &r, 1, 0) > 0) kill(VICTIM, 9);" },
	{ "reads another's environment", "if (open(\"/proc/\" STRING(VICTIM) \"/environ\", O_RDONLY) >= 0) write(2, \"environ was opened\\n\", 19);" },
	{ "leaves a file", "open(LEFT, O_CREAT | O_WRONLY, 0666);" },
	{ "leaves a file at home", "if (open(\"left\", O_CREAT | O_WRONLY, 0666) >= 0) write(2, \"a file was made\\n\", 16);" },
	{ "runs what it wrote", "void *p = mmap(0, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); if (p != MAP_FAILED) write(2, \"written and executed\\n\", 21);" },
	{ "runs what it wrote before", "void *p = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); if (mprotect(p, 4096, 5) == 0) write(2, \"written, then executed\\n\", 23);" },
	{ "connects", "if (socket(AF_INET, SOCK_STREAM, 0) >= 0) write(2, \"a socket\\n\", 9);" },
	{ "waits for a signal elsewhere", "fcntl(0, F_SETOWN, VICTIM); fcntl(0, F_SETSIG, 9); fcntl(0, F_SETFL, O_ASYNC);" },
};
/* clang-format on */

#define OBJECT_HEAD                                                            \
	"#define _GNU_SOURCE\n#include <fcntl.h>\n#include <signal.h>\n"       \
	"#include <sys/mman.h>\n#include <sys/ptrace.h>\n"                     \
	"#include <sys/socket.h>\n#include <sys/syscall.h>\n"                  \
	"#include <sys/uio.h>\n#include <unistd.h>\n"                          \
	"#define STRING_(x) #x\n#define STRING(x) STRING_(x)\n"                \
	"#define VICTIM %d\n#define LEFT \"%s/left\"\n"                        \
	"__attribute__((constructor)) static void f(void)\n{\n%s\n}\n"

static enum answer_kind
build(struct zygote *z, const char *source, char text[ORDER_TEXT_BYTES])
{
	struct order_build *o = xcalloc(1, sizeof *o);
	struct order_answer a = { .kind = 0 };
	struct child_handle *w = NULL;

	o->kind = ORDER_BUILD;
	o->nargs = 2;
	o->args[0] = OP_OUT;
	o->args[1] = OP_UINT;
	o->ngeometries = 1;
	o->geometries[0] = (struct order_geometry){ .ndims = 1,
		.global = { 64 },
		.local = { 64 } };
	snprintf(o->entry, sizeof o->entry, "k");
	o->source_bytes =
	    (uint32_t)snprintf(o->source, sizeof o->source, "%s", source);
	if (CHECK_INT(child_handle_start(z, unit_tmpdir(), &w, NULL), ERR_OK,
	        "a child")) {
		child_handle_build(w, o, DEADLINE_MS);
		if (child_handle_await(w, &a) != CHILD_HANDLE_ANSWER)
			a.kind = 0;
		child_handle_stop(w);
	}
	snprintf(text, ORDER_TEXT_BYTES, "%s", a.text);
	free(o);
	return (enum answer_kind)a.kind;
}

#define SECRET "a-key-that-nobody-else-would-write"

/* Where a file of another process holds the text, from 0 on; -1: nowhere. */
static long
find_in(const char *path, long from, long to, const char *text)
{
	size_t n = strlen(text), size = (size_t)(to - from);
	FILE *f = fopen(path, "re");
	char *bytes = xmalloc(size + 1), *at = NULL;

	if (f && fseek(f, from, SEEK_SET) == 0) {
		size = fread(bytes, 1, size, f);
		at = memmem(bytes, size, text, n);
	}
	if (f)
		fclose(f);
	free(bytes);
	return at ? 1 : -1;
}

/* In any memory of the process that is its own to write. */
static bool
holds(pid_t pid, const char *text)
{
	char *maps = xasprintf("/proc/%d/maps", (int)pid), line[512];
	char *mem = xasprintf("/proc/%d/mem", (int)pid);
	FILE *f = fopen(maps, "re");
	bool found = false;
	long from, to;
	char mode[8];

	while (f && !found && fgets(line, sizeof line, f))
		if (sscanf(line, "%lx-%lx %7s", (unsigned long *)&from,
		        (unsigned long *)&to, mode) == 3 &&
		    mode[1] == 'w' && to - from < (1L << 30))
			found = find_in(mem, from, to, text) >= 0;
	if (f)
		fclose(f);
	free(maps);
	free(mem);
	return found;
}

/* The zygote was started with the secret in environment and heap. */
static void
check_secret(void)
{
	char *secret = xstrdup(SECRET), *children = kit_children();
	char *environ_of;
	pid_t pid = (pid_t)strtol(children, NULL, 10);

	CHECK(holds(getpid(), SECRET), "our own memory holds it");
	if (CHECK(pid > 0, "the zygote is a child of ours")) {
		environ_of = xasprintf("/proc/%d/environ", (int)pid);
		CHECK(!holds(pid, SECRET), "the zygote's memory");
		CHECK(find_in(environ_of, 0, 1 << 16, SECRET) < 0,
		    "the zygote's environment");
		CHECK(find_in(environ_of, 0, 1 << 16, "POCL_CACHE_DIR") >= 0,
		    "an environment that can be read");
		free(environ_of);
	}
	free(secret);
	free(children);
}

static void
check_sources(void)
{
	char *scratch = xasprintf("%s/scratch", unit_tmpdir());
	char text[ORDER_TEXT_BYTES];
	struct zygote *z = NULL;
	struct why why;
	enum err e;

	mkdir(scratch, 0700);
	setenv("KF_SECRET", SECRET, 1);
	e = zygote_start(ZYGOTE_DEVICE, NULL, scratch, &z, &why);
	free(scratch);
	if (e == ERR_ENV)
		unit_skip(why.text);
	if (!CHECK_INT(e, ERR_OK, "a zygote"))
		return;
	check_secret();
	for (size_t i = 0; i < COUNT(sources); i++)
		if (!CHECK_INT(build(z, sources[i].source, text),
		        sources[i].want, sources[i].what))
			printf("  %s\n", text);
	zygote_stop(z);
}

/* The shared object of a row; false: it does not compile. */
static bool
compile(size_t i, pid_t victim, const char *object)
{
	char *source = xasprintf("%s/hostile.c", unit_tmpdir());
	char *text =
	    xasprintf(OBJECT_HEAD, (int)victim, unit_tmpdir(), objects[i].body);
	char *command =
	    xasprintf("cc -w -shared -fPIC '%s' -o '%s'", source, object);
	bool ok = files_write(source, text, strlen(text), NULL) == ERR_OK &&
	    system(command) == 0;

	free(source);
	free(text);
	free(command);
	return ok;
}

_Noreturn static void
load(const char *dir, int says)
{
	static const struct sandbox_limits limits = { .cpu_s = 2,
		.address_bytes = (uint64_t)1 << 30,
		.file_bytes = 1 << 20 };
	uint32_t features = 0;

	dup2(says, STDERR_FILENO);
	if (chdir(dir) != 0 ||
	    sandbox_for_build(&limits, false, &features, NULL) != ERR_OK ||
	    !(features & SANDBOX_SECCOMP) ||
	    sandbox_for_run(features, NULL) != ERR_OK)
		_exit(NO_SANDBOX);
	dlopen("./hostile.so", RTLD_NOW);
	_exit(0);
}

/* Its wait status; what it said on standard error is in said. */
static int
load_in_child(const char *dir, char *said, size_t size)
{
	int fds[2] = { -1, -1 }, status = 0;
	ssize_t n = 0;
	pid_t child;

	said[0] = '\0';
	if (!CHECK_INT(pipe(fds), 0, "a pipe"))
		return -1;
	child = fork();
	if (child == 0)
		load(dir, fds[1]);
	close(fds[1]);
	if (child > 0)
		waitpid(child, &status, 0);
	n = read(fds[0], said, size - 1);
	close(fds[0]);
	said[n > 0 ? n : 0] = '\0';
	return status;
}

static void
check_object(size_t i, const char *dir, const char *object, pid_t victim)
{
	char said[64], *left = xasprintf("%s/left", unit_tmpdir());
	int status;

	if (CHECK(compile(i, victim, object), objects[i].what)) {
		status = load_in_child(dir, said, sizeof said);
		CHECK(!WIFEXITED(status) || WEXITSTATUS(status) != NO_SANDBOX,
		    "the sandbox is closed");
		CHECK_STR(said, "", objects[i].what);
		CHECK_INT(waitpid(victim, &status, WNOHANG), 0,
		    objects[i].what);
		CHECK(access(left, F_OK) != 0, objects[i].what);
	}
	remove(left);
	free(left);
}

/* Beside a process that only waits. */
static void
check_beside(size_t i, const char *dir, const char *object)
{
	pid_t victim = fork();

	if (victim == 0)
		while (pause() < 0)
			;
	if (!CHECK(victim > 0, "a victim"))
		return;
	check_object(i, dir, object, victim);
	kill(victim, SIGKILL);
	waitpid(victim, NULL, 0);
}

void
t_hostile(void)
{
	char *dir = xasprintf("%s/loaded", unit_tmpdir());
	char *object = xasprintf("%s/hostile.so", dir);

	mkdir(dir, 0700);
	fflush(stdout);
	for (size_t i = 0; i < COUNT(objects); i++)
		check_beside(i, dir, object);
	free(dir);
	free(object);
	check_sources();
}
