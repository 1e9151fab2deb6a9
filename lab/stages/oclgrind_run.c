/*
 * Oclgrind is given a file that says what to launch on what: sizes in bytes,
 * values as text.  Its findings are blocks: a line that says what, then
 * indented lines that say where, the candidate's text among them.  Only lines
 * that are not indented are read for what.
 */
#include "lab/stages/oclgrind_run.h"

#include "base/buf.h"
#include "base/mem.h"
#include "lab/run/deadline.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAYS_MAX    ((size_t)256 << 10)
#define SIMFILE_MAX ((size_t)16 << 20)
#define KERNEL_FILE "kernel.cl"
#define SIM_FILE    "launch.sim"

/* By severity; [0] is the class. */
static const struct {
	const char *class, *begin;
} findings[] = {
	{ "input_write", "Invalid write to read-only" },
	{ "out_of_bounds", "Invalid read" },
	{ "out_of_bounds", "Invalid write" },
	{ "out_of_bounds", "Index" },
	{ "misaligned", "Invalid memory load" },
	{ "misaligned", "Invalid memory store" },
	{ "divergence", "Work-group divergence" },
	{ "race", "Read-write data race" },
	{ "race", "Write-write data race" },
	{ "race", "Work-item finished without waiting for events" },
	{ "race", "Invalid wait event" },
	{ "uninitialised", "Uninitialized" },
	{ "uninitialised", "Controlflow depends on uninitialized" },
};

#define NFINDINGS COUNT(findings)

/*
 * Oclgrind's look for uninitialised values ends at once at a built-in that
 * writes through a pointer to a private variable; the same value in two steps
 * is simulated to its end.
 */
static const char in_two_steps[] =
    "#define sincos(x, p) (*(p) = cos(x), sin(x))\n"
    "#define fract(x, p) (*(p) = floor(x), (x) - floor(x))\n"
    "#define modf(x, p) (*(p) = trunc(x), (x) - trunc(x))\n"
    "#define frexp(x, p) (*(p) = ilogb(x) + 1, ldexp(x, -ilogb(x) - 1))\n";

/* Said behind so many findings that no more are told. */
#define SUPPRESSED "errors generated - suppressing further errors"

/* A value as its storage type's bits: text would lose a NaN. */
static uint32_t
bits_of(enum dtype t, float v)
{
	uint32_t bits = 0;

	dtype_store(t, &bits, 0, v);
	return bits;
}

/* A tensor's memory, element by element; what lies in the gaps between rows
 * is there and must not matter. */
static void
add_tensor(struct buf *b, const struct op_instance *in, size_t arg)
{
	static const float gap = 777.0f;
	struct op_extent e = in->op->extent(&in->shape, arg);
	size_t n = e.rows > 0 ? (size_t)(e.rows - 1) * e.stride + e.cols : 0;
	enum dtype t = in->c->dtype;

	/* noinit: what is read of an output before it is written is found. */
	buf_addf(b, "<size=%zu %s%s>\n", n * dtype_bytes(t),
	    dtype_bytes(t) == 2 ? "ushort" : "uint",
	    arg == in->out_index ? " noinit" : "");
	for (size_t i = 0; i < n && arg != in->out_index; i++) {
		size_t row = i / e.stride, col = i % e.stride;

		buf_addf(b, "%u ",
		    bits_of(t,
		        col < e.cols ? in->in[arg][row * e.cols + col] : gap));
	}
	buf_adds(b, "\n");
}

static void
add_argument(struct buf *b, const struct op_instance *in, size_t i)
{
	const struct op_arg *a = &in->op->args[i];

	if (a->kind == OP_UINT) {
		buf_addf(b, "<size=4 uint>\n%u\n",
		    op_scalar_uint(a, &in->shape));
	} else if (a->kind == OP_REAL) {
		buf_addf(b, "<size=4 float>\n%.9g\n",
		    (double)op_scalar_real(a, &in->shape));
	} else if (a->kind == OP_POSITIONS) {
		buf_addf(b, "<size=%zu int>\n",
		    in->shape.seq * sizeof(int32_t));
		for (uint32_t s = 0; s < in->shape.seq; s++)
			buf_addf(b, "%d ", in->positions[s]);
		buf_adds(b, "\n");
	} else {
		add_tensor(b, in, i);
	}
}

static char *
sim_text(const struct simulation *s, const struct order_geometry *g)
{
	struct buf b;

	buf_init(&b, SIMFILE_MAX);
	buf_addf(&b, "%s\n%s\n", KERNEL_FILE, s->entry);
	for (size_t i = 0; i < CANDIDATE_DIMS_MAX; i++)
		buf_addf(&b, "%llu ",
		    i < g->ndims ? (unsigned long long)g->global[i] : 1ULL);
	buf_adds(&b, "\n");
	for (size_t i = 0; i < CANDIDATE_DIMS_MAX; i++)
		buf_addf(&b, "%llu ",
		    i < g->ndims ? (unsigned long long)g->local[i] : 1ULL);
	buf_adds(&b, "\n\n");
	if (!s->in)
		buf_adds(&b, "<size=256 uint noinit>\n<size=4 uint>\n42\n");
	for (size_t i = 0; s->in && i < s->in->op->nargs; i++)
		add_argument(&b, s->in, i);
	return buf_take(&b);
}

/*
 * What an atomic exchange has written, and the upper half of a vector of
 * sixteen, stay uninitialised in Oclgrind's eyes: there the machine alone looks,
 * which fills memory and what is not set with one pattern and another.
 */
static bool
stays_unset(const char *text)
{
	static const char *const words[] = { "atomic_xchg", "atom_xchg",
		"float16", "int16", "short16", "char16", "half16", "long16" };

	for (size_t i = 0; i < COUNT(words); i++)
		if (strstr(text, words[i]))
			return true;
	return false;
}

enum err
simulate_start(struct lab *l, const struct simulation *s, struct tool **ret,
    struct why *why)
{
	/* Where --uninitialized must not be asked, the other option stands
	 * twice. */
	const char *const args[] = { l->oclgrind, "--data-races",
		"--num-threads", "1", "--max-errors", "200", "--build-options",
		"-cl-std=CL1.2 -cl-opt-disable -w",
		stays_unset(s->text) ? "--data-races" : "--uninitialized",
		SIM_FILE, NULL };
	char *text = xasprintf("%s%s", in_two_steps, s->text);
	char *sim = sim_text(s, s->geometry);
	const struct tool_job job = {
		.args = args,
		.files = { { KERNEL_FILE, text }, { SIM_FILE, sim } },
		.cpu_s = SIMULATE_CPU_S,
		.deadline_ms = l->conf.build_deadline_ms * DEADLINE_SLACK,
		.file_max = 1 << 20,
		.files_max = 2 * SIMFILE_MAX,
		.says_max = SAYS_MAX,
	};
	enum err e = tool_start(l->tools, l->scratch, &job, ret, why);

	free(sim);
	free(text);
	return e;
}

/* The rank of a line; NFINDINGS: it is none of them. */
static size_t
rank_of(const char *line)
{
	size_t i = 0;

	while (i < NFINDINGS &&
	    strncmp(line, findings[i].begin, strlen(findings[i].begin)) != 0)
		i++;
	return i;
}

/* "At line 8 (column 8) of FILE:" in the indented lines that follow; a line of
 * the prelude says nothing to the candidate's author. */
static unsigned
line_of(const char *block)
{
	unsigned line = 0;
	char file[32] = "";

	while (*block && (block = strchr(block, '\n')) != NULL) {
		block++;
		if (*block != '\t')
			break;
		if (sscanf(block, "\tAt line %9u (column %*u) of %31[^:\n]",
		        &line, file) == 2)
			break;
	}
	return strstr(file, PRELUDE_FILE) ? line : 0;
}

/* "N warnings generated.": clang inside Oclgrind counts also those that -w
 * keeps it from showing. */
static bool
counts_warnings(const char *line, size_t n)
{
	static const char *const ends[] = { " warning generated.",
		" warnings generated." };
	size_t digits = strspn(line, "0123456789");

	for (size_t i = 0; i < COUNT(ends); i++)
		if (digits > 0 && n == digits + strlen(ends[i]) &&
		    strncmp(line + digits, ends[i], strlen(ends[i])) == 0)
			return true;
	return false;
}

/* A line that opens a block of a kind that nobody told us of. */
static bool
is_odd(const char *line, size_t n)
{
	return n > 0 && line[0] != '\t' && line[0] != ' ' &&
	    !counts_warnings(line, n) &&
	    !memmem(line, n, SUPPRESSED, strlen(SUPPRESSED));
}

void
simulate_read_log(const char *log, struct simulate_finding *ret)
{
	size_t best = NFINDINGS;

	*ret = (struct simulate_finding){ 0 };
	for (const char *line = log; line && *line;
	     line = strchr(line, '\n'), line += line != NULL) {
		size_t rank = rank_of(line), n = strcspn(line, "\n");
		const char *address;

		if (rank == NFINDINGS && ret->odd[0] == '\0' && is_odd(line, n))
			snprintf(ret->odd, sizeof ret->odd, "%.*s", (int)n,
			    line);
		if (rank >= best)
			continue;
		best = rank;
		/* Addresses differ from run to run; what is found must not. */
		address = strstr(line, " address");
		if (address && address < line + n)
			n = (size_t)(address - line);
		snprintf(ret->what, sizeof ret->what, "%.*s", (int)n, line);
		ret->class = findings[rank].class;
		ret->line = line_of(line);
	}
}
