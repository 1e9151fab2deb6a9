/* Known-good kernels from folders, and the mutants that can be made of them. */
#include "tests/proving/corpus.h"

#include "base/files.h"
#include "base/mem.h"
#include "ops/draw.h"
#include <stdlib.h>
#include <string.h>

static enum err
read_kernel(const char *path, struct kernel *ret, struct why *why)
{
	const char *name = strrchr(path, '/') + 1;
	struct kernel k = { .name = xstrdup(name), .op = op_of_kernel(name) };
	enum err e = ERR_OK;

	if (!k.op)
		e = why_set(why, ERR_SYNTAX,
		    "%s: expected OPERATOR_FORM.cl as its name", path);
	if (e == ERR_OK)
		e = files_read(path, CANDIDATE_SOURCE_MAX, &k.text, &k.len,
		    why);
	if (e == ERR_OK)
		e = candidate_parse_file(path, k.text, k.len, &k.candidate,
		    why);
	*ret = k;
	return e;
}

enum err
corpus_read(const char *dirs, struct corpus *ret, struct why *why)
{
	char **paths = files_list(dirs, ".cl");
	enum err e = paths[0]
	    ? ERR_OK
	    : why_set(why, ERR_NOTFOUND, "%s: no kernel there", dirs);

	*ret = (struct corpus){ 0 };
	for (size_t i = 0; e == ERR_OK && paths[i]; i++) {
		ret->items =
		    xreallocarray(ret->items, i + 1, sizeof *ret->items);
		e = read_kernel(paths[i], &ret->items[ret->n++], why);
	}
	files_list_free(paths);
	if (e != ERR_OK)
		corpus_done(ret);
	return e;
}

void
corpus_done(struct corpus *c)
{
	for (size_t i = 0; i < c->n; i++) {
		candidate_done(&c->items[i].candidate);
		free(c->items[i].name);
		free(c->items[i].text);
	}
	free(c->items);
	*c = (struct corpus){ 0 };
}

static void
add_sites(const struct corpus *c, size_t kernel, size_t operator,
    struct mutants * ret)
{
	struct corrupt_sites s;

	corrupt_sites_find(corrupt_at(operator), c->items[kernel].text,
	    c->items[kernel].len, &s);
	ret->items =
	    xreallocarray(ret->items, ret->n + s.n + 1, sizeof *ret->items);
	for (size_t i = 0; i < s.n; i++)
		ret->items[ret->n++] = (struct mutant){ (uint32_t)kernel,
			(uint32_t) operator,(uint32_t) i, s.items[i].line };
	corrupt_sites_done(&s);
}

/* Of an operator's total mutants, is its number i among the count chosen? */
static bool
is_chosen(size_t i, size_t total, size_t count)
{
	return count == 0 || count >= total ||
	    i * count / total != (i + 1) * count / total;
}

static void
choose(struct mutants *m, size_t per_operator)
{
	size_t *total = xcalloc(corrupt_count(), sizeof *total);
	size_t *seen = xcalloc(corrupt_count(), sizeof *seen);
	size_t kept = 0;

	for (size_t i = 0; i < m->n; i++)
		total[m->items[i].operator]++;
	for (size_t i = 0; i < m->n; i++) {
		size_t k = m->items[i].operator;

		if (is_chosen(seen[k]++, total[k], per_operator))
			m->items[kept++] = m->items[i];
	}
	m->n = kept;
	free(total);
	free(seen);
}

void
mutants_find(const struct corpus *c, size_t per_operator, struct mutants *ret)
{
	*ret = (struct mutants){ 0 };
	for (size_t k = 0; k < c->n; k++)
		for (size_t i = 0; i < corrupt_count(); i++)
			add_sites(c, k, i, ret);
	choose(ret, per_operator);
}

void
mutants_sample(struct mutants *m, size_t n, const uint8_t seed[32])
{
	size_t kept = 0, total = m->n;
	struct draw d;

	draw_init(&d, seed, "sample");
	/* Each is kept by as much chance as the number still wanted has among
	 * those still to come: exactly n, every choice of n alike. */
	for (size_t i = 0; i < total && kept < n; i++)
		if (draw_range(&d, 1, (uint32_t)(total - i)) <= n - kept)
			m->items[kept++] = m->items[i];
	m->n = kept;
}

void
mutants_done(struct mutants *m)
{
	free(m->items);
	*m = (struct mutants){ 0 };
}

bool
mutant_make(const struct corpus *c, const struct mutant *m,
    struct candidate *ret)
{
	const struct kernel *k = &c->items[m->kernel];
	struct corrupt_sites s;
	char *text;
	enum err e;

	corrupt_sites_find(corrupt_at(m->operator), k->text, k->len, &s);
	text = corrupt_apply(k->text, k->len, &s.items[m->site]);
	corrupt_sites_done(&s);
	e = candidate_parse_file(k->name, text, strlen(text), ret, NULL);
	free(text);
	return e == ERR_OK;
}
