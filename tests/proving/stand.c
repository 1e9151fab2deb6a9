/*
 * A child forked from the warm process builds, launches once from each
 * filling, and ends; the parent looks at the shared memory.  A buffer ends to
 * the byte where a page ends that nobody may touch; its row gaps hold a
 * filling too, and must still hold it afterwards.
 */
#include "tests/proving/stand.h"

#include "base/files.h"
#include "base/mem.h"
#include "lab/read/prelude.h"
#include "lab/run/device.h"
#include "ops/element_judge.h"
#include "tests/proving/memory.h"
#include "tests/proving/witness.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPU_S      20
#define CLOCK_S    3600 /* of one that sleeps */
#define NO_BUILD   77
#define FOLDER_MAX 96
#define PLAIN_MAX  ((uint64_t)1 << 20) /* elements, or products of a matmul */
#define QUICK_LD   "/usr/bin/ld.gold"  /* half of the usual one's time */

struct stand {
	struct device device;
	char *work; /* owned */
	/* Of a menu: in memory that a child shares, and where that is, in C. */
	uint32_t *choice;
	char choice_text[64];
};

/* What is asked about a scene. */
struct question {
	const struct scene *on;
	bool by_eye; /* as the smoke test asks: of all fillings */
};

static enum err
map_choice(struct stand *s, struct why *why)
{
	void *map = mmap(NULL, MEMORY_PAGE, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return why_set(why, ERR_IO, "mmap: %s", strerror(errno));
	s->choice = map;
	snprintf(s->choice_text, sizeof s->choice_text,
	    "(*(__constant const uint *)%#" PRIxPTR "ul)", (uintptr_t)map);
	return ERR_OK;
}

/* A child's compiler looks for its linker there first. */
static void
link_quickly(const char *work)
{
	char *ld = xasprintf("%s/ld", work);

	if (access(QUICK_LD, X_OK) == 0)
		(void)!symlink(QUICK_LD,
		    ld); /* another worker's may be there */
	free(ld);
}

enum err
stand_open(const char *work, struct stand **ret, struct why *why)
{
	struct stand *s = xcalloc(1, sizeof *s);
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	enum err e;

	/* What the compiler leaves lying, it leaves where it works. */
	if (here < 0 || chdir(work) != 0)
		e = why_set(why, ERR_IO, "%s: %s", work, strerror(errno));
	else
		e = ERR_OK;
	setenv("POCL_DEVICES", "basic cpu-minimal", 1);
	setenv("POCL_CACHE_DIR", "./", 1);
	link_quickly(work);
	s->work = xstrdup(work);
	if (e == ERR_OK)
		e = map_choice(s, why);
	if (e == ERR_OK)
		e = device_open(NULL, &s->device, why);
	if (e == ERR_OK)
		e = device_warm(&s->device, why);
	if (here >= 0 && fchdir(here) != 0)
		e = why_set(why, ERR_IO, "%s", strerror(errno));
	close(here);
	if (e == ERR_OK)
		*ret = s;
	else
		stand_close(s);
	return e;
}

void
stand_close(struct stand *s)
{
	if (!s)
		return;
	if (s->choice)
		munmap(s->choice, MEMORY_PAGE);
	free(s->work);
	free(s);
}

/* ---- the child */

static cl_int
set_argument(const struct stand *s, cl_kernel k, const struct scene *on,
    cl_uint i, const struct span *span)
{
	const struct op_arg *a = &on->in->op->args[i];
	cl_int status = CL_SUCCESS;
	uint32_t bits;
	cl_mem b;

	if (a->kind == OP_UINT || a->kind == OP_REAL) {
		memcpy(&bits, (const char *)&on->c.shape + a->offset,
		    sizeof bits);
		return clSetKernelArg(k, i, sizeof bits, &bits);
	}
	b = clCreateBuffer(s->device.context,
	    CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, span->bytes, span->data,
	    &status);
	return status == CL_SUCCESS ? clSetKernelArg(k, i, sizeof(cl_mem), &b)
	                            : status;
}

static cl_int
launch(const struct stand *s, cl_kernel k, const struct scene *on,
    const struct memory *m, size_t filling)
{
	const struct order_geometry *g = &on->geometry;
	size_t global[CANDIDATE_DIMS_MAX], local[CANDIDATE_DIMS_MAX];
	cl_int status = CL_SUCCESS;

	for (uint32_t i = 0; i < on->in->op->nargs && status == CL_SUCCESS; i++)
		status = set_argument(s, k, on, i,
		    on->in->op->args[i].kind == OP_OUT ? &m->out[filling]
		                                       : &m->in[i]);
	for (uint32_t i = 0; i < g->ndims; i++) {
		global[i] = (size_t)g->global[i];
		local[i] = (size_t)g->local[i];
	}
	if (status == CL_SUCCESS)
		status = clEnqueueNDRangeKernel(s->device.queue, k,
		    (cl_uint)g->ndims, NULL, global, local, 0, NULL, NULL);
	return status == CL_SUCCESS ? clFinish(s->device.queue) : status;
}

/* Where a child's compiler keeps its files. */
static void
folder_of(const struct stand *s, pid_t pid, char folder[FOLDER_MAX])
{
	snprintf(folder, FOLDER_MAX, "%s/%d", s->work, (int)pid);
}

static void
limit(void)
{
	struct rlimit r = { CPU_S, CPU_S + 1 };

	setrlimit(RLIMIT_CPU, &r);
	r = (struct rlimit){ 0, 0 };
	setrlimit(RLIMIT_CORE, &r);
	alarm(CLOCK_S);
}

/* Where little runs, optimising it takes longer than it saves; the answer must
 * be the same. */
static void
build_plainly(const struct scene *on)
{
	const struct op_shape *s = &on->c.shape;
	uint64_t n = (uint64_t)on->in->out.rows * on->in->out.cols;

	for (size_t i = 0; i < on->in->op->nargs; i++)
		if (on->in->op->args[i].kind == OP_IN) {
			struct op_extent e = on->in->op->extent(s, i);

			n += (uint64_t)e.rows * e.cols;
		}
	if (s->k > 1)
		n += (uint64_t)s->m * s->n * s->k / 4;
	if (n <= PLAIN_MAX)
		setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable", 1);
}

/* In a child: NULL where it does not build. */
static cl_kernel
build(const struct stand *s, const char *source, const char *entry,
    const struct scene *on)
{
	cl_program p = NULL;
	cl_int status;
	cl_kernel k;
	char folder[FOLDER_MAX];

	folder_of(s, getpid(), folder);
	if (mkdir(folder, 0700) != 0 || chdir(folder) != 0)
		return NULL;
	limit();
	build_plainly(on);
	setenv("COMPILER_PATH", s->work, 1);
	if (device_build(&s->device, source, &p) != CL_SUCCESS)
		return NULL;
	k = clCreateKernel(p, entry, &status);
	return status == CL_SUCCESS ? k : NULL;
}

static bool
launch_all(const struct stand *s, cl_kernel k, const struct scene *on,
    const struct memory *m)
{
	cl_int status = CL_SUCCESS;

	for (size_t f = 0; f < MEMORY_NFILLINGS && status == CL_SUCCESS; f++)
		status = launch(s, k, on, m, f);
	return status == CL_SUCCESS;
}

_Noreturn static void
child(const struct stand *s, const char *source, const char *entry,
    const struct scene *on, const struct memory *m)
{
	cl_kernel k = build(s, source, entry, on);

	_exit(k && launch_all(s, k, on, m) ? 0 : NO_BUILD);
}

/* ---- what came out */

static bool
values_are_right(const struct question *q, const struct span *out, size_t f,
    struct stand_finding *ret)
{
	const struct scene *on = q->on;
	struct op_extent e = on->in->out;
	size_t n = (size_t)e.rows * e.cols;
	float *got = xcalloc(n + 1, sizeof *got);
	struct judge_result j;

	for (size_t r = 0; r < e.rows; r++)
		for (size_t c = 0; c < e.cols; c++)
			got[r * e.cols + c] = dtype_load(on->c.dtype, out->data,
			    r * e.stride + c);
	judge_compare(&on->want, got, &j);
	if (q->by_eye && judge_smoke(n, got, on->want.y))
		j.grade = JUDGE_VERIFIED;
	if (j.grade != JUDGE_VERIFIED)
		snprintf(ret->what, sizeof ret->what,
		    "element %zu: got %.9g, expected %.9g (output held %g)",
		    j.worst, (double)got[j.worst], on->want.y[j.worst],
		    (double)memory_fillings[f]);
	ret->ratio = j.bound_ratio;
	free(got);
	return j.grade == JUDGE_VERIFIED;
}

static bool
gaps_are_kept(const struct scene *on, const struct span *out, size_t f,
    struct stand_finding *ret)
{
	struct op_extent e = on->in->out;
	enum dtype t = on->c.dtype;
	size_t width = dtype_bytes(t);
	uint32_t want = 0;

	dtype_store(t, &want, 0, memory_fillings[f]);
	for (size_t r = 0; out->data && r + 1 < e.rows; r++)
		for (size_t c = e.cols; c < e.stride; c++)
			if (memcmp(out->data + (r * e.stride + c) * width,
			        &want, width) != 0) {
				snprintf(ret->what, sizeof ret->what,
				    "row gap %zu, column %zu was written", r,
				    c);
				return false;
			}
	return true;
}

/* Wrong by one filling is wrong; a person sees what is wrong by all. */
static enum stand_says
judge_fillings(const struct question *q, const struct memory *m,
    struct stand_finding *ret)
{
	size_t wrong = 0;

	for (size_t f = 0; f < MEMORY_NFILLINGS && (wrong == 0 || q->by_eye);
	     f++)
		wrong += !values_are_right(q, &m->out[f], f, ret) ||
		    (!q->by_eye && !gaps_are_kept(q->on, &m->out[f], f, ret));
	return wrong == (q->by_eye ? MEMORY_NFILLINGS : 1) ? STAND_WRONG
	                                                   : STAND_RIGHT;
}

/* What the clock has ended, or somebody who was short of memory, has shown
 * nothing; what ran until its processor time was up never ends. */
static bool
is_the_machines(int sig)
{
	return sig == SIGALRM || sig == SIGKILL;
}

static enum stand_says
judge(const struct question *q, const struct memory *m, int status,
    struct stand_finding *ret)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_BUILD)
		return STAND_NO_BUILD;
	if (WIFSIGNALED(status) && is_the_machines(WTERMSIG(status)))
		return STAND_NO_BUILD;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		snprintf(ret->what, sizeof ret->what, "it ended by signal %d",
		    WIFSIGNALED(status) ? WTERMSIG(status) : 0);
		return STAND_WRONG;
	}
	return judge_fillings(q, m, ret);
}

static enum stand_says
ask(struct stand *s, const char *text, const char *entry,
    const struct question *q, struct stand_finding *ret)
{
	const struct scene *on = q->on;
	char *source = xasprintf("%s%s", prelude_text(on->c.dtype), text);
	struct memory m = { 0 };
	enum stand_says says = STAND_NO_BUILD;
	char folder[FOLDER_MAX];
	int status = 0;
	pid_t pid = -1;

	*ret = (struct stand_finding){ .what = "" };
	if (memory_map(&m, on)) {
		memory_write(&m, on);
		pid = fork();
	}
	if (pid == 0)
		child(s, source, entry, on, &m);
	if (pid > 0) {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		folder_of(s, pid, folder);
		files_remove_tree(folder);
		says = judge(q, &m, status, ret);
	}
	memory_done(&m);
	free(source);
	return says;
}

enum stand_says
stand_try(struct stand *s, const struct candidate *c, const struct scene *on,
    bool backwards, struct stand_finding *ret)
{
	const struct question q = { .on = on };
	char *reversed = backwards ? witness_reverse(c->source) : NULL;
	enum stand_says says =
	    ask(s, reversed ? reversed : c->source, c->entry, &q, ret);

	free(reversed);
	return says;
}

bool
stand_sees_by_eye(struct stand *s, const struct candidate *c,
    const struct op *op, const uint8_t seed[32])
{
	struct scene on = { .c = *op->smoke };
	const struct question q = { .on = &on, .by_eye = true };
	struct stand_finding ignored;
	bool sees = false;

	if (geometry_eval(op, &on.c.shape, c, &on.geometry, NULL) != ERR_OK ||
	    geometry_is_empty(&on.geometry))
		return false;
	on.in = op_instance_new(op, &on.c, seed);
	judge_want_init(&on.want, on.in);
	sees = ask(s, c->source, c->entry, &q, &ignored) == STAND_WRONG;
	scene_done(&on);
	return sees;
}

/* ---- a menu */

struct stand_menu {
	struct stand *s;
	struct memory m;
	int fd; /* to the child, a byte each way and launch; -1: it has ended */
	pid_t pid;
};

/* Launches whenever it is told to, until nobody can tell it. */
_Noreturn static void
menu_child(const struct stand_menu *m, const char *source, const char *entry,
    const struct scene *on)
{
	cl_kernel k = build(m->s, source, entry, on);
	char byte;

	while (k && read(m->fd, &byte, 1) == 1)
		if (!launch_all(m->s, k, on, &m->m) ||
		    write(m->fd, &byte, 1) != 1)
			_exit(NO_BUILD);
	_exit(k ? 0 : NO_BUILD);
}

static int
menu_end(struct stand_menu *m)
{
	char folder[FOLDER_MAX];
	int status = 0;

	close(m->fd);
	m->fd = -1;
	while (waitpid(m->pid, &status, 0) < 0 && errno == EINTR)
		;
	folder_of(m->s, m->pid, folder);
	files_remove_tree(folder);
	return status;
}

const char *
stand_choice(const struct stand *s)
{
	return s->choice_text;
}

struct stand_menu *
stand_menu_open(struct stand *s, const struct candidate *c,
    const struct scene *on, bool backwards)
{
	struct stand_menu *m = xcalloc(1, sizeof *m);
	char *reversed = backwards ? witness_reverse(c->source) : NULL;
	char *source = xasprintf("%s%s", prelude_text(on->c.dtype),
	    reversed ? reversed : c->source);
	int fds[2] = { -1, -1 };

	m->s = s;
	m->pid = m->fd = -1;
	if (memory_map(&m->m, on) &&
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0)
		m->pid = fork();
	if (m->pid == 0) {
		close(fds[0]);
		m->fd = fds[1];
		menu_child(m, source, c->entry, on);
	}
	if (fds[1] >= 0)
		close(fds[1]);
	if (m->pid > 0)
		m->fd = fds[0];
	else if (fds[0] >= 0)
		close(fds[0]);
	free(reversed);
	free(source);
	if (m->fd >= 0)
		return m;
	stand_menu_close(m);
	return NULL;
}

enum stand_says
stand_menu_try(struct stand_menu *m, uint32_t choice, const struct scene *on,
    struct stand_finding *ret)
{
	const struct question q = { .on = on };
	char byte = 0;

	*ret = (struct stand_finding){ .what = "" };
	if (m->fd < 0)
		return STAND_NO_BUILD;
	*m->s->choice = choice;
	memory_write(&m->m, on);
	if (send(m->fd, &byte, 1, MSG_NOSIGNAL) == 1 &&
	    recv(m->fd, &byte, 1, 0) == 1)
		return judge(&q, &m->m, 0, ret);
	return judge(&q, &m->m, menu_end(m), ret);
}

void
stand_menu_close(struct stand_menu *m)
{
	if (!m)
		return;
	if (m->fd >= 0)
		(void)menu_end(m);
	memory_done(&m->m);
	free(m);
}
