/* Tokens ascend, stay inside the source, and every corruption applies. */
// links: base cltext
#include "cltext/cllex.h"
#include "cltext/candidate.h"
#include "cltext/corruption.h"
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_sites(const struct corrupt_operator *op, const char *source, size_t n)
{
	struct corrupt_sites s;

	corrupt_sites_find(op, source, n, &s);
	for (size_t i = 0; i < s.n; i++) {
		uint32_t at = 0;

		for (size_t k = 0; k < s.items[i].nedits; k++) {
			const struct corrupt_edit *e = &s.items[i].edits[k];

			if (e->at < at || e->at + e->len > n)
				abort();
			at = e->at + e->len;
		}
		free(corrupt_apply(source, n, &s.items[i]));
	}
	corrupt_sites_done(&s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *source = (const char *)data;
	struct cllex l;
	uint32_t at = 0;

	if (size > CANDIDATE_SOURCE_MAX)
		return 0;
	cllex_init(&l, source, size);
	for (size_t i = 0; i < l.ntoks; i++) {
		if (l.toks[i].at < at || l.toks[i].len == 0 ||
		    l.toks[i].at + l.toks[i].len > size)
			abort();
		at = l.toks[i].at + l.toks[i].len;
	}
	cllex_done(&l);
	for (size_t i = 0; i < corrupt_count(); i++)
		check_sites(corrupt_at(i), source, size);
	return 0;
}
