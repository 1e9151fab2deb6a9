/*
 * kernelforge mutants: where the corruption operators could bite a kernel,
 * and what it reads like afterwards.
 *
 * Given a file, its sites; given an operator, those of the known-good kernels
 * whose names begin with it.  With --apply the mutated file goes to standard
 * output, ready for `kernelforge verify`: the way to see for oneself that a
 * silent lie is caught.
 */
#include "agent/commands.h"
#include "agent/text/term.h"
#include "base/files.h"
#include "base/log.h"
#include "base/mem.h"
#include "cltext/candidate.h"
#include "cltext/corruption.h"
#include "ops/op.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define SITES_MAX 4096
#define CORPUS    "kernels/plain:tests/corpus/good"

struct mutants_line {
	bool json;
	const char *apply;
	int64_t site;
	const char *corpus;
};

#define AT(m) offsetof(struct mutants_line, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "json",   OPT_FLAG,   AT(json),   0, 0, NULL, "print one JSON array" },
	{ "apply",  OPT_STRING, AT(apply),  0, 0, "OPERATOR", "print FILE with this corruption operator's rewrite" },
	{ "site",   OPT_INT,    AT(site),   0, SITES_MAX, "N", "at this one of its sites (default 0)" },
	{ "corpus", OPT_STRING, AT(corpus), 0, 0, "DIR", "where OP's known-good kernels lie (default " CORPUS ")" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "kernelforge mutants",
	.usage = "OP|FILE",
	.about = "lists the silent corruptions that a kernel offers, or makes "
	         "one",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_min = 1,
	.args_max = 1,
	.examples = "kernelforge mutants mine.cl\t"
	            "which silent mistakes it offers\n"
	            "kernelforge mutants mine.cl --apply rope_interleaved "
	            "--site 0 >lie.cl\t"
	            "make one\n",
};

/* One place where one operator can rewrite one file. */
struct mutant {
	const char *file; /* borrowed */
	const struct corrupt_operator *operator;
	size_t site;
	uint32_t line;
};

struct mutants {
	struct mutant *items; /* owned */
	size_t n;
};

static enum err
read_kernel(const char *path, char **ret, size_t *ret_len, struct why *why)
{
	enum err e = files_read(path, CANDIDATE_SOURCE_MAX, ret, ret_len, why);

	if (e != ERR_OK || *ret_len > 0)
		return e;
	free(*ret);
	*ret = NULL;
	return why_set(why, ERR_SYNTAX, "%s: 0 bytes: expected a kernel", path);
}

static enum err
add_file(const char *path, struct mutants *all, struct why *why)
{
	char *text = NULL;
	size_t len;
	enum err e = read_kernel(path, &text, &len, why);

	for (size_t i = 0; e == ERR_OK && i < corrupt_count(); i++) {
		struct corrupt_sites s;

		corrupt_sites_find(corrupt_at(i), text, len, &s);
		all->items = xreallocarray(all->items, all->n + s.n + 1,
		    sizeof *all->items);
		for (size_t k = 0; k < s.n; k++)
			all->items[all->n++] = (struct mutant){ path,
				corrupt_at(i), k, s.items[k].line };
		corrupt_sites_done(&s);
	}
	free(text);
	return e;
}

/* Keeps of the known-good kernels those of one operator. */
static enum err
find_kernels(const char *dirs, const char *op, char ***ret, struct why *why)
{
	char **files = files_list(dirs, ".cl");
	size_t n = 0;

	for (size_t i = 0; files[i]; i++) {
		const struct op *of = op_of_kernel(strrchr(files[i], '/') + 1);

		if (of && strcmp(of->name, op) == 0)
			files[n++] = files[i];
		else
			free(files[i]);
	}
	files[n] = NULL;
	*ret = files;
	return n > 0
	    ? ERR_OK
	    : why_set(why, ERR_NOTFOUND,
	          "%s: no kernel %s_*.cl there (see --corpus)", dirs, op);
}

/* ---- printing */

static void
print_json(const struct mutants *all)
{
	json_t *array = json_array();

	for (size_t i = 0; i < all->n; i++) {
		const struct mutant *m = &all->items[i];

		json_array_append_new(array,
		    json_pack("{s:s, s:s, s:I, s:I, s:s, s:s, s:s}", "file",
		        m->file, "operator", m->operator->name, "site",
		        (json_int_t)m->site, "line", (json_int_t)m->line,
		        "rewrite", m->operator->rewrite, "contract",
		        m->operator->invisible, "witness", m->operator->shows));
	}
	json_dumpf(array, stdout, JSON_INDENT(2) | JSON_SORT_KEYS);
	putchar('\n');
	json_decref(array);
}

static void
print_table(const struct mutants *all)
{
	static const char *const head[] = { "Kernel", "Operator", "Site",
		"Line", "Rewrite", "Silent with" };
	struct term_table t;

	term_table_init(&t, COUNT(head));
	for (size_t i = 0; i < COUNT(head); i++)
		term_table_add(&t, TERM_BOLD, head[i]);
	for (size_t i = 0; i < all->n; i++) {
		const struct mutant *m = &all->items[i];
		const char *base = strrchr(m->file, '/');

		term_table_add(&t, TERM_PLAIN, base ? base + 1 : m->file);
		term_table_add(&t, TERM_PLAIN, m->operator->name);
		term_table_addf(&t, TERM_PLAIN, "%zu", m->site);
		term_table_addf(&t, TERM_PLAIN, "%u", m->line);
		term_table_add(&t, TERM_PLAIN, m->operator->rewrite);
		term_table_add(&t, TERM_DIM, m->operator->invisible);
	}
	term_table_print(&t, stdout);
	term_table_done(&t);
	printf("%zu possible mutants\n", all->n);
}

static enum err
list(const char *word, const struct mutants_line *line, struct why *why)
{
	struct mutants all = { 0 };
	char **files = NULL;
	enum err e;

	if (op_find(word))
		e = find_kernels(line->corpus, word, &files, why);
	else
		e = add_file(word, &all, why);
	for (size_t i = 0; e == ERR_OK && files && files[i]; i++)
		e = add_file(files[i], &all, why);
	if (e == ERR_OK) {
		if (line->json)
			print_json(&all);
		else
			print_table(&all);
	}
	files_list_free(files);
	free(all.items);
	return e;
}

static enum err
apply(const char *path, const struct mutants_line *line, struct why *why)
{
	const struct corrupt_operator *op = corrupt_find(line->apply);
	struct corrupt_sites s = { 0 };
	char *text = NULL, *mutated;
	size_t len;
	enum err e;

	if (!op)
		return why_set(why, ERR_SYNTAX,
		    "found \"%.60s\", expected a corruption operator (see "
		    "kernelforge mutants FILE)",
		    line->apply);
	e = read_kernel(path, &text, &len, why);
	if (e != ERR_OK)
		return e;
	corrupt_sites_find(op, text, len, &s);
	if ((size_t)line->site < s.n) {
		mutated = corrupt_apply(text, len, &s.items[line->site]);
		fputs(mutated, stdout);
		free(mutated);
	} else {
		e = why_set(why, ERR_RANGE,
		    "%s: --site: found %lld, expected one of the %zu of %s "
		    "here, from 0 on",
		    path, (long long)line->site, s.n, op->name);
	}
	corrupt_sites_done(&s);
	free(text);
	return e;
}

static int
run(int argc, char **argv)
{
	struct mutants_line line = { .corpus = CORPUS };
	const char *word = NULL;
	struct why why;
	size_t nargs;
	enum err e;
	int code;

	if (!command_parse(&cmd_mutants, argc, argv, &line, &word, &nargs,
	        &code))
		return code;
	e = line.apply ? apply(word, &line, &why) : list(word, &line, &why);
	if (e == ERR_OK)
		return EXIT_DONE;
	log_error("mutants", "%s", why.text);
	return EXIT_USAGE;
}

const struct command cmd_mutants = { "mutants", &opts, run };
