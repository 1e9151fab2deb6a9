/*
 * No edit of any operator, at any site of any kernel that is kept here, lies
 * before the byte that editfrom names, however the kernel is wrapped and
 * wherever its stream is cut; and that byte is where it should be.
 */
#include "chaos/editfrom.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/mem.h"
#include "chaos/rewrite.h"
#include "tests/unit.h"

static size_t
pick(size_t n, void *arg)
{
	return *(size_t *)arg < n ? *(size_t *)arg : n;
}

static size_t
read_in_pieces(const char *op, struct slice content, size_t piece)
{
	struct editfrom f;
	size_t from = 0, before = 0;

	editfrom_init(&f, op);
	for (size_t n = 0; n < content.n; before = from) {
		n = content.n - n < piece ? content.n : n + piece;
		from = editfrom_read(&f, (struct slice){ content.p, n });
		CHECK(from >= before && from <= n, "never back, never ahead");
	}
	return from;
}

/* How many sites there are; each lies behind. */
static size_t
check_operator(const char *file, const struct corrupt_operator *op,
    struct slice content)
{
	size_t whole = read_in_pieces(op->name, content, content.n);
	char *what = xasprintf("%s of %s", op->name, file);
	size_t site = 0;
	struct rewrite r;

	CHECK_INT(read_in_pieces(op->name, content, 7), whole,
	    "pieces do not matter");
	for (;; site++) {
		if (rewrite_plan(content, op, pick, &site, &r, NULL) != ERR_OK)
			break;
		CHECK(r.edits.items[0].at >= whole, what);
		rewrite_done(&r);
	}
	free(what);
	return site;
}

static char *
as_json(const char *source)
{
	json_t *v = json_pack("{ss ss}", "entry", "k", "source", source);
	char *text = json_dumps(v, JSON_COMPACT);

	json_decref(v);
	return text;
}

static size_t
check_file(const char *path)
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

	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		for (size_t k = 0; k < corrupt_count(); k++)
			sites += check_operator(path, corrupt_at(k),
			    slice_of(forms[i]));
		free(forms[i]);
	}
	free(json);
	free(source);
	return sites;
}

static void
check_places(void)
{
	static const struct {
		const char *op, *content, *rest; /* what is kept back */
	} rows[] = {
		{ "sync_drop", "no kernel; at {all}", "" },
		{ "sync_drop", "x\n```c\nf(a) { b; barrier(c); d; }\n```\ny",
		    " barrier(c); d; }\n```\ny" },
		{ "sync_drop", "x\n```c\nf(a) { b; c; ba", " ba" },
		{ "tail_guard", "x\n```c\nf(a)\n{ b; c;", " b; c;" },
		{ "tail_guard", "{\"source\":\"f(a)\\n{ b;", " b;" },
		{ "tail_guard", "{\"source\":\"struct { b;", "" },
		{ "sync_drop", "```json\n{\"source\":\"a; barrier(",
		    " barrier(" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct slice c = slice_of(rows[i].content);

		CHECK_STR(c.p + read_in_pieces(rows[i].op, c, 3), rows[i].rest,
		    rows[i].content);
	}
}

void
t_editfrom(void)
{
	size_t sites = 0;
	glob_t g;

	check_places();
	CHECK(glob("kernels/plain/*.cl", 0, NULL, &g) == 0, "plain kernels");
	glob("scenarios/*/answers/*/*.cl", GLOB_APPEND, NULL, &g);
	glob("tests/corpus/good/*.cl", GLOB_APPEND, NULL, &g);
	for (size_t i = 0; i < g.gl_pathc; i++)
		sites += check_file(g.gl_pathv[i]);
	CHECK(sites > 500, "there were sites");
	globfree(&g);
}
