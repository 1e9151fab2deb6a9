/*
 * Of every kernel that is kept here, however it is wrapped and wherever its
 * stream is cut, every operator edits the same as in the whole answer, at
 * every site and at a drawn one; no edit lies in what was let go; and what is
 * held is no more than a statement, for operators that need no more.
 */
#include "chaos/faults/kernelwatch.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/mem.h"
#include "tests/unit.h"

#define NO_SITE 9999

/* A draw that takes one site in four, other ones for each seed. */
static bool
takes(size_t site, void *arg)
{
	return (site * 7 + *(size_t *)arg) % 4 == 0;
}

struct outcome {
	bool is_decided;
	size_t free_to, most_held;
	struct rewrite r;
};

static void
watch(struct slice content, const char *op, const struct rewrite_choice *c,
    size_t piece, struct outcome *ret)
{
	struct kernelwatch w;
	size_t free_to = 0;

	*ret = (struct outcome){ .is_decided = false };
	kernelwatch_init(&w, corrupt_find(op), c);
	for (size_t n = 0; n < content.n && !ret->is_decided;) {
		n = content.n - n < piece ? content.n : n + piece;
		ret->is_decided =
		    kernelwatch_read(&w, (struct slice){ content.p, n },
		        &ret->r, &free_to) == ERR_OK;
		if (ret->is_decided)
			return;
		CHECK(free_to >= ret->free_to && free_to <= n,
		    "never back, never ahead");
		ret->free_to = free_to;
		if (n - free_to > ret->most_held)
			ret->most_held = n - free_to;
	}
}

static bool
is_same(const struct rewrite *a, const struct rewrite *b)
{
	if (a->site != b->site || a->line != b->line ||
	    a->edits.n != b->edits.n)
		return false;
	for (size_t i = 0; i < a->edits.n; i++) {
		const struct splice *x = &a->edits.items[i];
		const struct splice *y = &b->edits.items[i];

		if (x->at != y->at || x->n != y->n ||
		    strcmp(x->text, y->text) != 0)
			return false;
	}
	return true;
}

/* False: there is no such site. */
static bool
check_choice(const char *what, struct slice content, const char *op,
    const struct rewrite_choice *c, size_t piece)
{
	struct rewrite whole;
	struct outcome o;

	if (rewrite_plan(content, corrupt_find(op), c, &whole, NULL) != ERR_OK)
		return false;
	watch(content, op, c, piece, &o);
	CHECK(whole.edits.items[0].at >= o.free_to, what);
	if (o.is_decided) {
		CHECK(is_same(&whole, &o.r), what);
		rewrite_done(&o.r);
	}
	rewrite_done(&whole);
	return true;
}

static size_t
check_operator(const char *file, const char *op, struct slice content)
{
	char *what = xasprintf("%s of %s", op, file);
	struct rewrite_choice c = { .site = 0 };
	size_t seed = content.n % 4, sites;

	while (check_choice(what, content, op, &c, 9))
		c.site++;
	sites = (size_t)c.site;
	c = (struct rewrite_choice){ -1, takes, &seed };
	check_choice(what, content, op, &c, 1);
	check_choice(what, content, op, &c, 64);
	free(what);
	return sites;
}

static size_t
longest(struct slice content)
{
	struct codescan s = { .statement = 0 };
	size_t most = 0;

	for (size_t i = 0; i < content.n; i++) {
		size_t from = s.statement;

		if (codescan_read(&s, content, i) != SCAN_NOTHING &&
		    i + 1 - from > most)
			most = i + 1 - from;
	}
	return most;
}

/* What is held is bounded when no site is taken. */
static void
check_bounds(const char *file, struct slice content)
{
	static const char *const prompt[] = { "acc_type", "batch_zero",
		"dtype_load", "eps_place", "gelu_tanh", "grid_stride",
		"half_store", "index_narrow", "nan_swallow", "rope_freq",
		"stride_swap", "sync_drop", "tail_guard" };
	struct rewrite_choice c = { .site = NO_SITE };
	struct outcome o;

	for (size_t i = 0; i < COUNT(prompt); i++) {
		char *what =
		    xasprintf("%s holds little of %s", prompt[i], file);

		watch(content, prompt[i], &c, 1, &o);
		CHECK(!o.is_decided && o.most_held <= longest(content), what);
		free(what);
	}
}

static char *
as_json(const char *source)
{
	json_t *v = json_pack("{ss ss}", "source", source, "entry", "k");
	char *text = json_dumps(v, JSON_COMPACT);

	json_decref(v);
	return text;
}

/* What stands before the kernel is held until it is known to be one. */
static bool
begins_with_kernel(const char *source)
{
	const char *kernel = strstr(source, "__kernel");

	return kernel && kernel < strchr(source, '{');
}

static size_t
check_file(const char *path, size_t number)
{
	char *source = NULL, *json;
	size_t sites = 0;

	if (!CHECK(files_read(path, 1u << 16, &source, NULL, NULL) == ERR_OK,
	        path))
		return 0;
	json = as_json(source);
	char *forms[] = { xstrdup(json),
		xasprintf("Here {it} is; yes:\n```json\n%s\n```\nDone.", json),
		xasprintf("So:\n```c\n%s\n```\nAs `you` see.", source) };

	for (size_t k = 0; k < corrupt_count(); k++)
		sites += check_operator(path, corrupt_at(k)->name,
		    slice_of(forms[(number + k) % 3]));
	if (begins_with_kernel(source))
		check_bounds(path, slice_of(forms[number % 3]));
	for (size_t i = 0; i < 3; i++)
		free(forms[i]);
	free(json);
	free(source);
	return sites;
}

static void
check_places(void)
{
	static const struct {
		const char *op, *content, *rest; /* what is held */
	} rows[] = {
		{ "sync_drop", "no kernel; at {all}", "" },
		{ "sync_drop", "x\n```c\n__kernel f(a) { b; c; ba", " ba" },
		{ "sync_drop", "x\n```c\n__kernel f(a) { b; barrier(c",
		    " barrier(c" },
		{ "sync_drop", "x\n```c\n__kernel f(a) { b; barrier(c); d",
		    " d" },
		{ "sync_drop", "x\n```c\nf(a) { b; barrier(c); d",
		    " b; barrier(c); d" },
		{ "sync_drop", "x\n```c\nf(a) { b; barrier(c); }\n```\ny", "" },
		{ "tail_guard", "x\n```c\n__kernel f(a)\n{ b; c; if (x",
		    " if (x" },
		{ "tail_guard", "{\"source\":\"__kernel f(a)\\n{ b;", "" },
		{ "variance", "{\"source\":\"__kernel f(a)\\n{ b; c;",
		    " b; c;" },
		{ "variance", "{\"source\":\"__kernel f(a)\\n{ b; c; }", "" },
		{ "tail_guard",
		    "{\"source\":\"__kernel f(a) { for (;;) // ;\\n b",
		    " for (;;) // ;\\n b" },
		{ "tail_guard",
		    "{\"source\":\"__kernel f(a) { g(\\\";\\\", ';', 1",
		    " g(\\\";\\\", ';', 1" },
	};
	struct rewrite_choice c = { .site = NO_SITE };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct slice content = slice_of(rows[i].content);
		struct outcome o;

		watch(content, rows[i].op, &c, 3, &o);
		CHECK_STR(content.p + o.free_to, rows[i].rest, rows[i].content);
	}
}

void
t_kernelwatch(void)
{
	size_t sites = 0;
	glob_t g;

	check_places();
	CHECK(glob("kernels/plain/*.cl", 0, NULL, &g) == 0, "plain kernels");
	glob("scenarios/*/answers/*/*.cl", GLOB_APPEND, NULL, &g);
	glob("tests/corpus/good/*.cl", GLOB_APPEND, NULL, &g);
	for (size_t i = 0; i < g.gl_pathc; i++)
		sites += check_file(g.gl_pathv[i], i);
	CHECK(sites > 500, "there were sites");
	globfree(&g);
}
