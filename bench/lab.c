/*
 * make bench-lab: what a verdict costs.
 *
 *	cold	a fresh lab and one correct kernel, every stage
 *	alone	the first protocol's builds and launches by PoCL in a fresh
 *		process, without any of the lab: what the harness is measured
 *		against.  Four builds: the storage types', and the one in which
 *		work items counted backwards, which is a machine's work now; a
 *		case was launched three times, once more in the replay, and
 *		float32 once backwards
 *	without	the first kernel cold again with one stage left out: the
 *		difference in processor time is what that stage costs
 *	corpus	every correct kernel of the corpus, one after the other
 *	open	the same verdicts from a lab that is open already
 *	hung	a kernel that never ends: how long after its deadline the
 *		verdict is there, how long after that the next candidate is
 *		judged (one that its text condemns), and how soon one that
 *		clang has to look at has passed its first stage
 *
 * Cold and alone take turns; medians with quartiles over REPEATS.
 */
#include "lab/lab.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/mem.h"
#include "lab/read/prelude.h"
#include "lab/run/geometry.h"
#include "lab/timing/timing_stats.h"
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define GOOD          "tests/corpus/good/"
#define PLAIN         "kernels/plain/"
#define HUNG          "tests/corpus/bad/swiglu_hang.cl"
#define CONDEMNED     "tests/corpus/bad/swiglu_asm.cl"
#define REPEATS       5
#define MIDDLE        (REPEATS / 2)
#define HUNG_REPEATS  5
#define HUNG_DEADLINE 400
#define FILE_MAX      ((size_t)1 << 17)

static const char *const cold_kernels[][2] = {
	{ "silu", PLAIN "silu.cl" },
	{ "rmsnorm", GOOD "rmsnorm_group.cl" },
	{ "rope", PLAIN "rope.cl" },
	{ "softmax", GOOD "softmax_group.cl" },
	{ "matmul", GOOD "matmul_tiled.cl" },
};

static double
since_ms(uint64_t start_ns)
{
	return (double)(clock_mono_ns() - start_ns) / 1e6;
}

/* Processor time of this process and of all that it has waited for: what
 * other programs on the machine cannot stretch. */
static double
cpu_ms(void)
{
	static const int who[] = { RUSAGE_SELF, RUSAGE_CHILDREN };
	double ms = 0;

	for (size_t i = 0; i < 2; i++) {
		struct rusage u;

		getrusage(who[i], &u);
		ms += 1e3 * (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
		    1e-3 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
	}
	return ms;
}

static void
read_kernel(const char *path, struct candidate *ret)
{
	char *text;
	size_t len;
	struct why why;

	if (files_read(path, FILE_MAX, &text, &len, &why) != ERR_OK ||
	    candidate_parse_file(path, text, len, ret, &why) != ERR_OK)
		fatalx("%s", why.text);
	free(text);
}

/* "12.3 (11.9 to 12.8)" */
static const char *
spread(double *ms, size_t n, char out[64])
{
	double same[REPEATS + HUNG_REPEATS] = { 0 };
	struct lab_series s;

	timing_summarize(ms, same, n, &s);
	(void)snprintf(out, 64, "%.1f (%.1f to %.1f)", s.median_ms, s.q1_ms,
	    s.q3_ms);
	return out;
}

/* ---- alone */

struct alone {
	const struct op *op;
	const struct candidate *cand;
	cl_context context;
	cl_device_id device;
	cl_command_queue queue;
};

/* The lab's builds, with how often each launches a case. */
static const struct alone_build {
	enum dtype dtype;
	int launches;
	const char *before; /* the text; a cache must not know it */
} alone_builds[] = {
	{ DTYPE_F32, 4, "" }, /* three, and one in the replay */
	{ DTYPE_F16, 4, "" },
	{ DTYPE_BF16, 4, "" },
	{ DTYPE_F32, 1, "#line 1 \"another text\"\n" },
};

static bool
alone_open(struct alone *a)
{
	cl_platform_id p;
	cl_int status;

	setenv("POCL_DEVICES", "basic cpu-minimal", 1);
	if (clGetPlatformIDs(1, &p, NULL) != CL_SUCCESS ||
	    clGetDeviceIDs(p, CL_DEVICE_TYPE_CPU, 1, &a->device, NULL) !=
	        CL_SUCCESS)
		return false;
	a->context = clCreateContext(NULL, 1, &a->device, NULL, NULL, &status);
	if (status != CL_SUCCESS)
		return false;
	a->queue = clCreateCommandQueue(a->context, a->device, 0, &status);
	return status == CL_SUCCESS;
}

/* Sets the arguments to zeroed buffers of the case's sizes. */
static void
alone_args(struct alone *a, cl_kernel k, const struct op *op,
    const struct op_case *c, cl_mem *buffers)
{
	for (cl_uint i = 0; i < op->nargs; i++) {
		const struct op_arg *arg = &op->args[i];
		struct op_extent e;
		uint32_t v = 0;
		float f;

		if (arg->kind == OP_UINT || arg->kind == OP_REAL) {
			v = op_scalar_uint(arg, &c->shape);
			f = op_scalar_real(arg, &c->shape);
			clSetKernelArg(k, i, sizeof v,
			    arg->kind == OP_UINT ? (void *)&v : (void *)&f);
			continue;
		}
		e = op->extent(&c->shape, i);
		buffers[i] = clCreateBuffer(a->context, CL_MEM_READ_WRITE,
		    sizeof(float) * ((size_t)e.rows * e.stride + 1), NULL,
		    NULL);
		clSetKernelArg(k, i, sizeof(cl_mem), &buffers[i]);
	}
}

static void
alone_case(struct alone *a, cl_kernel k, const struct op_case *c, int launches)
{
	cl_mem buffers[OP_ARGS_MAX] = { 0 };
	size_t global[CANDIDATE_DIMS_MAX], local[CANDIDATE_DIMS_MAX];
	struct order_geometry g;

	if (geometry_eval(a->op, &c->shape, a->cand, &g, NULL) != ERR_OK ||
	    geometry_is_empty(&g))
		return;
	for (uint32_t i = 0; i < g.ndims; i++) {
		global[i] = (size_t)g.global[i];
		local[i] = (size_t)g.local[i];
	}
	alone_args(a, k, a->op, c, buffers);
	for (int i = 0; i < launches; i++) {
		clEnqueueNDRangeKernel(a->queue, k, (cl_uint)g.ndims, NULL,
		    global, local, 0, NULL, NULL);
		clFinish(a->queue);
	}
	for (size_t i = 0; i < OP_ARGS_MAX; i++)
		if (buffers[i])
			clReleaseMemObject(buffers[i]);
}

static bool
alone_build(struct alone *a, const struct alone_build *b)
{
	const char *texts[] = {
		b->before,
		prelude_text(b->dtype),
		a->cand->source,
	};
	cl_program p =
	    clCreateProgramWithSource(a->context, 3, texts, NULL, NULL);
	cl_kernel k;
	cl_int status;

	if (clBuildProgram(p, 1, &a->device, "-cl-std=CL1.2", NULL, NULL) !=
	    CL_SUCCESS)
		return false;
	k = clCreateKernel(p, a->cand->entry, &status);
	if (status != CL_SUCCESS)
		return false;
	if (a->op->smoke->dtype == b->dtype)
		alone_case(a, k, a->op->smoke, b->launches);
	for (size_t i = 0; i < a->op->nholdouts; i++)
		if (a->op->holdouts[i].dtype == b->dtype)
			alone_case(a, k, &a->op->holdouts[i], b->launches);
	return true;
}

static bool
alone_all(const struct op *op, const struct candidate *cand)
{
	struct alone a = { .op = op, .cand = cand };

	if (!alone_open(&a))
		return false;
	for (size_t i = 0; i < COUNT(alone_builds); i++)
		if (!alone_build(&a, &alone_builds[i]))
			return false;
	return true;
}

/* In a process of its own, with an empty kernel cache. */
static double
time_alone(const struct op *op, const struct candidate *cand)
{
	char dir[] = "/tmp/kf-bench-XXXXXX";
	uint64_t start_ns = clock_mono_ns();
	int status = 0;
	pid_t pid;

	if (!mkdtemp(dir))
		fatalx("no folder in /tmp");
	pid = fork();
	if (pid == 0) {
		setenv("POCL_CACHE_DIR", dir, 1);
		_exit(alone_all(op, cand) ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	files_remove_tree(dir);
	if (status != 0)
		fatalx("%s does not run on PoCL alone", op->name);
	return since_ms(start_ns);
}

/* ---- cold */

/* skip: stages left out, as bits. */
static double
time_cold(const struct op *op, const struct candidate *cand, uint32_t skip,
    struct lab_report *ret)
{
	struct lab_request rq = { .op = op,
		.candidate = cand,
		.upto = LAB_NSTAGES - 1,
		.skip = skip };
	uint64_t start_ns = clock_mono_ns();
	struct lab *lab;
	struct why why;

	if (lab_open(NULL, &lab, &why) != ERR_OK)
		fatalx("%s", why.text);
	lab_judge(lab, &rq, ret);
	lab_close(lab);
	if (ret->verdict != LAB_VERIFIED_CORRECT)
		fatalx("%s: %s", op->name, ret->message);
	return since_ms(start_ns);
}

/* From a lab that is open. */
static void
print_open(const struct op *op, const struct candidate *cand)
{
	struct lab_request rq = { .op = op,
		.candidate = cand,
		.upto = LAB_NSTAGES - 1 };
	double open[REPEATS];
	static struct lab_report r;
	struct lab *lab;
	struct why why;
	char text[64];

	if (lab_open(NULL, &lab, &why) != ERR_OK)
		fatalx("%s", why.text);
	lab_judge(lab, &rq, &r); /* the compiler's library is read */
	for (int i = 0; i < REPEATS; i++) {
		uint64_t start_ns = clock_mono_ns();

		lab_judge(lab, &rq, &r);
		open[i] = since_ms(start_ns);
		if (r.verdict != LAB_VERIFIED_CORRECT)
			fatalx("%s: %s", op->name, r.message);
	}
	lab_close(lab);
	printf("    open         %s ms\n", spread(open, REPEATS, text));
}

/* What each stage that can be left out adds in processor time. */
static void
print_extra(const struct op *op, const struct candidate *cand, double all_ms)
{
	printf("    of it, by leaving a stage out:");
	for (int s = 0; s < LAB_NSTAGES; s++) {
		double without[REPEATS];
		static struct lab_report r;
		char text[64];

		if (s == LAB_STAGE_HOLDOUTS ||
		    !lab_stage_may_be_left_out((enum lab_stage)s))
			continue;
		for (int i = 0; i < REPEATS; i++) {
			double start_ms = cpu_ms();

			time_cold(op, cand, 1U << s, &r);
			without[i] = cpu_ms() - start_ms;
		}
		(void)spread(without, REPEATS, text);
		printf(" %s %.0f ms,", lab_stage_name((enum lab_stage)s),
		    all_ms - without[MIDDLE]);
	}
	printf(" the rest is what cannot be left out\n");
}

static void
print_stages(double stages[LAB_STAGES_MAX][REPEATS],
    const struct lab_report *last)
{
	for (size_t i = 0; i < last->nstages; i++) {
		char text[64];

		printf("    %-12s %s ms\n",
		    lab_stage_name(last->stages[i].stage),
		    spread(stages[i], REPEATS, text));
	}
}

static void
bench_cold(void)
{
	for (size_t k = 0; k < COUNT(cold_kernels); k++) {
		const struct op *op = op_find(cold_kernels[k][0]);
		double cold[REPEATS], alone[REPEATS], cpu[2][REPEATS];
		double stages[LAB_STAGES_MAX][REPEATS];
		struct candidate cand;
		static struct lab_report r;
		char a[64], b[64];

		read_kernel(cold_kernels[k][1], &cand);
		for (int i = 0; i < REPEATS; i++) {
			double start_ms = cpu_ms();

			alone[i] = time_alone(op, &cand);
			cpu[0][i] = cpu_ms() - start_ms;
			cold[i] = time_cold(op, &cand, 0, &r);
			cpu[1][i] = cpu_ms() - start_ms - cpu[0][i];
			for (size_t s = 0; s < r.nstages; s++)
				stages[s][i] = r.stages[s].ms;
		}
		(void)spread(alone, REPEATS, a);
		(void)spread(cold, REPEATS, b);
		printf("%-9s cold verdict %s ms; PoCL alone %s ms: %+.0f %%\n",
		    op->name, b, a, 100 * (cold[MIDDLE] / alone[MIDDLE] - 1));
		(void)spread(cpu[0], REPEATS, a);
		(void)spread(cpu[1], REPEATS, b);
		printf("    processor    %s ms; PoCL alone %s ms: %+.0f %%\n",
		    b, a, 100 * (cpu[1][MIDDLE] / cpu[0][MIDDLE] - 1));
		print_open(op, &cand);
		print_stages(stages, &r);
		if (k == 0)
			print_extra(op, &cand, cpu[1][MIDDLE]);
		candidate_done(&cand);
	}
}

/* ---- corpus and hung */

struct watch {
	uint64_t first_ns, failed_ns; /* ends of these stages; 0: not yet */
};

static void
on_stage(const struct lab_stage_result *r, void *arg)
{
	struct watch *w = arg;

	if (w->first_ns == 0)
		w->first_ns = clock_mono_ns();
	if (r->status == LAB_STAGE_FAILED)
		w->failed_ns = clock_mono_ns();
}

static void
judge_file(struct lab *lab, const char *path, struct watch *w,
    struct lab_report *ret)
{
	struct candidate cand;
	struct lab_request rq = { .op = op_of_kernel(strrchr(path, '/') + 1),
		.candidate = &cand,
		.upto = LAB_NSTAGES - 1,
		.on_stage = on_stage,
		.arg = w };

	*w = (struct watch){ 0 };
	read_kernel(path, &cand);
	lab_judge(lab, &rq, ret);
	candidate_done(&cand);
}

struct judged {
	const char *path; /* borrowed */
	double ms;
};

static int
by_ms(const void *a, const void *b)
{
	const struct judged *x = a, *y = b;

	return (x->ms > y->ms) - (x->ms < y->ms);
}

static void
bench_corpus(void)
{
	uint64_t start_ns = clock_mono_ns(), from_ns;
	size_t n = 0, verified = 0;
	char **paths = files_list(PLAIN ":" GOOD, ".cl");
	struct judged *all;
	struct lab *lab;
	struct why why;

	while (paths[n])
		n++;
	all = xcalloc(n, sizeof *all);
	if (lab_open(NULL, &lab, &why) != ERR_OK)
		fatalx("%s", why.text);
	for (size_t i = 0; i < n; i++) {
		static struct lab_report r;
		struct watch w;

		from_ns = clock_mono_ns();
		judge_file(lab, paths[i], &w, &r);
		all[i] = (struct judged){ paths[i], since_ms(from_ns) };
		verified += r.verdict == LAB_VERIFIED_CORRECT;
	}
	lab_close(lab);
	printf("corpus    %zu of %zu correct kernels verified in %.1f s\n",
	    verified, n, since_ms(start_ns) / 1e3);
	qsort(all, n, sizeof *all, by_ms);
	printf("    each     median %.2f s, slowest %.2f s (%s)\n",
	    all[n / 2].ms / 1e3, all[n - 1].ms / 1e3, all[n - 1].path);
	free(all);
	files_list_free(paths);
}

/* The stage in which it hangs lasts as long as the deadline and a bit. */
static double
late_ms(const struct lab_report *r)
{
	for (size_t i = 0; i < r->nstages; i++)
		if (r->stages[i].status == LAB_STAGE_FAILED)
			return r->stages[i].ms - HUNG_DEADLINE;
	fatalx("the hung kernel did not fail");
}

static void
bench_hung(void)
{
	struct lab_conf conf = { .deadline_ms = HUNG_DEADLINE };
	double late[HUNG_REPEATS], again[HUNG_REPEATS], first[HUNG_REPEATS];
	struct lab *lab;
	struct why why;
	char text[3][64];

	if (lab_open(&conf, &lab, &why) != ERR_OK)
		fatalx("%s", why.text);
	for (int i = 0; i < HUNG_REPEATS; i++) {
		static struct lab_report r;
		struct watch hung, next;
		uint64_t start_ns;

		judge_file(lab, HUNG, &hung, &r);
		late[i] = late_ms(&r);
		judge_file(lab, CONDEMNED, &next, &r);
		again[i] = (double)(next.failed_ns - hung.failed_ns) / 1e6;
		start_ns = clock_mono_ns();
		judge_file(lab, PLAIN "swiglu.cl", &next, &r);
		first[i] = (double)(next.first_ns - start_ns) / 1e6;
	}
	lab_close(lab);
	printf("hung      judged %s ms after its deadline; the next is judged "
	       "%s ms later,\n    and has passed its first stage after %s ms "
	       "where clang looks at it\n",
	    spread(late, HUNG_REPEATS, text[0]),
	    spread(again, HUNG_REPEATS, text[1]),
	    spread(first, HUNG_REPEATS, text[2]));
}

static int
tell_usage(bool asked)
{
	fprintf(asked ? stdout : stderr,
	    "usage: bench-lab\n"
	    "What a verdict costs: cold, without each stage, over the corpus, "
	    "and for a kernel\nthat hangs.  Takes some minutes, and no other "
	    "options.\n");
	return asked ? EXIT_DONE : EXIT_USAGE;
}

int
main(int argc, char **argv)
{
	struct rusage u;

	if (argc > 1)
		return tell_usage(argc == 2 && strcmp(argv[1], "--help") == 0);
	log_init("bench-lab", LOG_LEVEL_WARN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	bench_hung();
	bench_cold();
	bench_corpus();
	getrusage(RUSAGE_SELF, &u);
	printf("memory    this process at most %.0f MB\n",
	    (double)u.ru_maxrss / 1024);
	printf("marks: cold under 1000 ms and 15 %% over PoCL alone; corpus: "
	       "median under 1 s,\nnone over 3 s; hung within 100 ms, the next "
	       "within 20 ms; under "
	       "300 MB\n");
	return 0;
}
