/*
 * Every operator on every known-good kernel: the kernels parse, the edits are
 * ascending, disjoint and change something, and no operator is idle.
 */
#include "cltext/candidate.h"
#include "cltext/corrupt.h"
#include "tests/unit.h"

#include "base/files.h"
#include "base/mem.h"
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define GOOD "tests/corpus/good"

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
check_kernel(const char *name, size_t *found)
{
	char *path = files_join(GOOD, name), *text = NULL;
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
	free(path);
}

void
t_corpus(void)
{
	size_t *found = xcalloc(corrupt_count(), sizeof *found);
	DIR *d = opendir(GOOD);
	struct dirent *e;
	size_t kernels = 0;

	while (d && (e = readdir(d)) != NULL) {
		size_t n = strlen(e->d_name);

		if (n < 4 || strcmp(e->d_name + n - 3, ".cl") != 0)
			continue;
		check_kernel(e->d_name, found);
		kernels++;
	}
	CHECK(kernels >= 60, "three kernels an operator");
	for (size_t k = 0; k < corrupt_count(); k++)
		CHECK(found[k] > 0, corrupt_at(k)->name);
	if (d)
		closedir(d);
	free(found);
}
