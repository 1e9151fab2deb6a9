#include "tests/proving/account.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

static int by_mutant(const void *x, const void *y);

void
account_init(struct account *a, const struct corpus *corpus,
    const struct mutants *mutants)
{
	*a = (struct account){ .corpus = corpus, .mutants = mutants };
	a->findings = xcalloc(corpus->n + mutants->n + 1, sizeof *a->findings);
	a->rows = xcalloc(corrupt_count() + 1, sizeof *a->rows);
}

void
account_done(struct account *a)
{
	free(a->findings);
	free(a->rows);
}

void
account_add(struct account *a, const struct finding *f)
{
	a->findings[a->n++] = *f;
}

static bool
is_kernel(const struct finding *f)
{
	return f->fate == FATE_GOOD || f->fate == FATE_REFUSED;
}

static const struct mutant *
mutant_of(const struct account *a, const struct finding *f)
{
	return &a->mutants->items[f->mutant];
}

static void
count(const struct finding *f, struct account_row *row)
{
	row->fates[f->fate]++;
	if (is_kernel(f) || f->fate == FATE_LOUD)
		return;
	if (f->fate == FATE_KILLED)
		row->kills[f->killer]++;
	row->broken += !f->kept;
}

void
account_close(struct account *a)
{
	struct account_row *total = &a->rows[corrupt_count()];

	qsort(a->findings, a->n, sizeof *a->findings, by_mutant);
	for (size_t i = 0; i < a->n; i++) {
		const struct finding *f = &a->findings[i];

		count(f, total);
		if (!is_kernel(f))
			count(f, &a->rows[mutant_of(a, f)->operator]);
		for (int s = 0; s < LAB_NSTAGES; s++)
			a->alone[s] += f->fate == FATE_KILLED && f->sole &&
			    (int)f->killer == s;
	}
}

size_t
account_silent(const struct account_row *r)
{
	return r->fates[FATE_KILLED] + r->fates[FATE_SURVIVED];
}

static double
rate(const struct account_row *r)
{
	size_t silent = account_silent(r);

	return silent ? 100.0 * (double)r->fates[FATE_KILLED] / (double)silent
	              : 100.0;
}

/* ---- for people */

static size_t
sites(const struct account_row *r)
{
	return account_silent(r) + r->fates[FATE_LOUD] +
	    r->fates[FATE_EQUIVALENT] + r->fates[FATE_ROUNDING];
}

static void
print_row(const char *name, const struct account_row *r, FILE *f)
{
	fprintf(f, "%-17s %5zu %5zu %6zu %5zu %7zu %7zu %6.1f%% |", name,
	    sites(r), r->fates[FATE_LOUD], r->fates[FATE_EQUIVALENT],
	    r->fates[FATE_ROUNDING], account_silent(r), r->fates[FATE_KILLED],
	    rate(r));
	for (int s = 0; s < LAB_NSTAGES; s++)
		fprintf(f, " %9zu", r->kills[s]);
	fputc('\n', f);
}

static void
print_matrix(const struct account *a, FILE *f)
{
	fprintf(f, "%-17s %5s %5s %6s %5s %7s %7s %7s |", "corruption", "sites",
	    "loud", "equiv.", "round", "silent", "killed", "rate");
	for (int s = 0; s < LAB_NSTAGES; s++)
		fprintf(f, " %9s", lab_stage_name((enum lab_stage)s));
	fputc('\n', f);
	for (size_t i = 0; i < corrupt_count(); i++)
		print_row(corrupt_at(i)->name, &a->rows[i], f);
	print_row("all", &a->rows[corrupt_count()], f);
	fprintf(f, "%-69s |", "  only this stage kills");
	for (int s = 0; s < LAB_NSTAGES; s++)
		fprintf(f, " %9zu", a->alone[s]);
	fputc('\n', f);
}

struct class_count {
	const char *name;
	size_t n;
};

static void
print_classes(const struct account *a, FILE *f)
{
	struct class_count classes[32] = { 0 };
	size_t n = 0, k;

	for (size_t i = 0; i < a->n; i++) {
		if (a->findings[i].fate != FATE_KILLED)
			continue;
		for (k = 0; k < n &&
		     strcmp(classes[k].name, a->findings[i].class) != 0;)
			k++;
		if (k == COUNT(classes))
			continue;
		n += k == n;
		classes[k].name = a->findings[i].class;
		classes[k].n++;
	}
	fprintf(f, "killed as:");
	for (k = 0; k < n; k++)
		fprintf(f, " %s %zu%s", classes[k].name, classes[k].n,
		    k + 1 < n ? "," : "\n");
	if (n == 0)
		fprintf(f, " nothing\n");
}

static const char *
kernel_name(const struct account *a, const struct finding *f)
{
	return a->corpus->items[f->kernel].name;
}

void
account_tell(const struct account *a, const struct finding *f, FILE *out)
{
	if (is_kernel(f)) {
		fprintf(out, "  %s: %s\n", kernel_name(a, f), f->message);
		return;
	}
	fprintf(out, "  %s line %u: %s site %u", kernel_name(a, f),
	    mutant_of(a, f)->line, corrupt_at(mutant_of(a, f)->operator)->name,
	    mutant_of(a, f)->site);
	if (f->fate == FATE_ROUNDING)
		fprintf(out, ": at most %.2f of the bound", f->ratio);
	if (f->fate == FATE_SURVIVED && f->in_order)
		fprintf(out, ": wrong when work items run in another order");
	if (f->breach[0])
		fprintf(out, ": not on \"%s\"", f->breach);
	if (f->message[0] && f->fate != FATE_LOUD)
		fprintf(out, ": %s", f->message);
	fputc('\n', out);
}

static bool
is_survivor(const struct finding *f)
{
	return f->fate == FATE_SURVIVED;
}

static bool
is_refusal(const struct finding *f)
{
	return f->fate == FATE_REFUSED;
}

static bool
is_equivalent(const struct finding *f)
{
	return f->fate == FATE_EQUIVALENT;
}

static bool
is_rounding(const struct finding *f)
{
	return f->fate == FATE_ROUNDING;
}

static bool
is_gap(const struct finding *f)
{
	return f->gap;
}

static bool
is_breach(const struct finding *f)
{
	return !is_kernel(f) && f->fate != FATE_LOUD && !f->kept;
}

static bool
is_unparted(const struct finding *f)
{
	return (f->fate == FATE_KILLED || f->fate == FATE_SURVIVED) &&
	    !f->parted && !f->gap;
}

/* Lists of what a reader must see one by one. */
static const struct {
	const char *key, *title;
	bool (*holds)(const struct finding *f);
	bool fails; /* the run, unless it is empty */
} lists[] = {
	/* clang-format off */
	{ "refusals",    "good kernels refused", is_refusal, true },
	{ "survivors",   "silent mutants that survive", is_survivor, true },
	{ "gaps",        "refused, yet no witness tells them from their originals", is_gap, true },
	{ "breaches",    "part from their originals where their contracts say they agree", is_breach, true },
	{ "unparted",    "silent, but not on a case that their contracts name", is_unparted, true },
	{ "equivalents", "equivalent: no witness tells them from their originals (not counted)", is_equivalent, false },
	{ "roundings",   "differ in last bits, within the error bound on every witness (not counted)", is_rounding, false },
	/* clang-format on */
};

#define NLISTS COUNT(lists)

static size_t
list_length(const struct account *a, size_t list)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++)
		n += lists[list].holds(&a->findings[i]);
	return n;
}

void
account_print(const struct account *a, FILE *f)
{
	const struct account_row *total = &a->rows[corrupt_count()];

	for (size_t k = 0; k < NLISTS; k++) {
		if (list_length(a, k) == 0)
			continue;
		fprintf(f, "%s: %zu\n", lists[k].title, list_length(a, k));
		for (size_t i = 0; i < a->n; i++)
			if (lists[k].holds(&a->findings[i]))
				account_tell(a, &a->findings[i], f);
		fputc('\n', f);
	}
	print_matrix(a, f);
	print_classes(a, f);
	fprintf(f,
	    "\nkill rate %.1f%% (%zu of %zu silent mutants), %zu of %zu good "
	    "kernels refused\n",
	    rate(total), total->fates[FATE_KILLED], account_silent(total),
	    total->fates[FATE_REFUSED],
	    total->fates[FATE_REFUSED] + total->fates[FATE_GOOD]);
}

bool
account_passes(const struct account *a, const struct account_goal *goal,
    FILE *f)
{
	const struct account_row *total = &a->rows[corrupt_count()];
	bool ok = true;

	for (size_t k = 0; k < NLISTS; k++)
		if (lists[k].fails && list_length(a, k) > 0) {
			fprintf(f, "not true: %s: %zu, expected 0\n",
			    lists[k].title, list_length(a, k));
			ok = false;
		}
	if (account_silent(total) < goal->silent) {
		fprintf(f, "not true: %zu silent mutants, expected %zu\n",
		    account_silent(total), goal->silent);
		ok = false;
	}
	for (size_t i = 0; i < corrupt_count(); i++)
		if (account_silent(&a->rows[i]) < goal->per_operator) {
			fprintf(f,
			    "not true: %s makes %zu silent mutants, expected "
			    "%zu\n",
			    corrupt_at(i)->name, account_silent(&a->rows[i]),
			    goal->per_operator);
			ok = false;
		}
	return ok;
}

/* ---- for machines */

static json_t *
finding_json(const struct account *a, const struct finding *f)
{
	const struct mutant *m = is_kernel(f) ? NULL : mutant_of(a, f);
	json_t *o = json_pack("{s:s, s:s, s:s, s:f}", "kernel",
	    kernel_name(a, f), "class", f->class, "message", f->message,
	    "bound_ratio", f->ratio);

	if (m)
		json_object_update_new(o,
		    json_pack("{s:s, s:i, s:i}", "operator",
		        corrupt_at(m->operator)->name, "site", (int)m->site,
		        "line", (int)m->line));
	return o;
}

static json_t *
row_json(const char *name, const struct account_row *r)
{
	json_t *kills = json_object();

	for (int s = 0; s < LAB_NSTAGES; s++)
		json_object_set_new(kills, lab_stage_name((enum lab_stage)s),
		    json_integer((json_int_t)r->kills[s]));
	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:o}",
	    "operator", name, "sites", (json_int_t)sites(r), "loud",
	    (json_int_t)r->fates[FATE_LOUD], "equivalent",
	    (json_int_t)r->fates[FATE_EQUIVALENT], "rounding",
	    (json_int_t)r->fates[FATE_ROUNDING], "silent",
	    (json_int_t)account_silent(r), "killed",
	    (json_int_t)r->fates[FATE_KILLED], "kill_rate", rate(r) / 100.0,
	    "stages", kills);
}

json_t *
account_json(const struct account *a)
{
	json_t *o = row_json("all", &a->rows[corrupt_count()]);
	json_t *rows = json_array(), *alone = json_object();

	for (size_t i = 0; i < corrupt_count(); i++)
		json_array_append_new(rows,
		    row_json(corrupt_at(i)->name, &a->rows[i]));
	for (int s = 0; s < LAB_NSTAGES; s++)
		json_object_set_new(alone, lab_stage_name((enum lab_stage)s),
		    json_integer((json_int_t)a->alone[s]));
	json_object_set_new(o, "operators", rows);
	json_object_set_new(o, "alone", alone);
	json_object_set_new(o, "kernels",
	    json_integer((json_int_t)a->corpus->n));
	for (size_t k = 0; k < NLISTS; k++) {
		json_t *list = json_array();

		for (size_t i = 0; i < a->n; i++)
			if (lists[k].holds(&a->findings[i]))
				json_array_append_new(list,
				    finding_json(a, &a->findings[i]));
		json_object_set_new(o, lists[k].key, list);
	}
	return o;
}

/* Kernels in order, each before its mutants. */
static int
by_mutant(const void *x, const void *y)
{
	const struct finding *a = x, *b = y;

	if (a->kernel != b->kernel)
		return a->kernel < b->kernel ? -1 : 1;
	if (is_kernel(a) != is_kernel(b))
		return is_kernel(a) ? -1 : 1;
	return (a->mutant > b->mutant) - (a->mutant < b->mutant);
}
