// links: base cltext chaos
/*
 * Any bytes as a model's answer: finding the kernel and planning the edits
 * never reads outside, and what was JSON stays JSON after the edits.
 */
#include "chaos/text/kernel_rewrite.h"

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>

static bool
takes_none(size_t site, void *arg)
{
	(void)site;
	(void)arg;
	return false;
}

/* Every site is looked at before the last one is taken. */
static const struct rewrite_choice last_site = { -1, takes_none, NULL };

static void
check_edited(struct slice content, const struct rewrite *r)
{
	json_t *before = json_loadb(content.p, content.n, 0, NULL), *after;
	struct buf out;

	buf_init(&out, 1u << 22);
	if (splices_apply(&r->edits, content, &out) != ERR_OK)
		abort();
	after = json_loadb(out.data, out.len, 0, NULL);
	if (before && !after)
		abort();
	json_decref(before);
	json_decref(after);
	buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice content = { (const char *)data, size };
	struct rewrite r;

	if (size > 1u << 16)
		return 0;
	for (size_t i = 0; i < corrupt_count(); i++)
		if (rewrite_plan(content, corrupt_at(i), &last_site, &r,
		        NULL) == ERR_OK) {
			check_edited(content, &r);
			rewrite_done(&r);
		}
	return 0;
}
