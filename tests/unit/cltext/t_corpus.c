/*
 * Every operator on every known-good kernel: the kernels parse, the edits are
 * ascending, disjoint and change something, and no operator is idle.
 */
#include "cltext/candidate.h"
#include "cltext/corruption.h"
#include "tests/unit.h"

#include "base/files.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define GOOD "kernels/plain:tests/corpus/good"

static void
check_site(const char *source, const struct corrupt_site *site,
    const char *what)
{
	size_t n = strlen(source);
	uint32_t at = 0;
	char *mutant;

	CHECK(site->nedits > 0 && site->line > 0, what);
	for (size_t i = 0; i < site->nedits; i++) {
		const struct corrupt_edit *e = &site->edits[i];

		CHECK(e->at >= at && e->at + e->len <= n, what);
		at = e->at + e->len;
	}
	mutant = corrupt_apply(source, n, site);
	CHECK(strcmp(mutant, source) != 0, what);
	free(mutant);
}

static void
check_kernel(const char *path, size_t *found)
{
	char *text = NULL;
	struct candidate c = { 0 };
	struct why why = { "" };
	size_t len = 0;

	if (files_read(path, CANDIDATE_SOURCE_MAX, &text, &len, &why) ||
	    candidate_parse_file(path, text, len, &c, &why)) {
		CHECK_STR(why.text, "", "reads and parses");
		goto out;
	}
	for (size_t k = 0; k < corrupt_count(); k++) {
		struct corrupt_sites s;

		corrupt_sites_find(corrupt_at(k), c.source, strlen(c.source),
		    &s);
		for (size_t i = 0; i < s.n; i++)
			check_site(c.source, &s.items[i], corrupt_at(k)->name);
		found[k] += s.n;
		corrupt_sites_done(&s);
	}
out:
	candidate_done(&c);
	free(text);
}

void
t_corpus(void)
{
	size_t *found = xcalloc(corrupt_count(), sizeof *found);
	char **paths = files_list(GOOD, ".cl");
	size_t kernels = 0;

	for (; paths[kernels]; kernels++)
		check_kernel(paths[kernels], found);
	CHECK(kernels >= 60, "three kernels an operator");
	for (size_t k = 0; k < corrupt_count(); k++)
		CHECK(found[k] > 0, corrupt_at(k)->name);
	files_list_free(paths);
	free(found);
}
