/*
 * Any bytes as a request's body: where the scan makes a statement, jansson
 * says the same, byte for byte and about the members that rules ask for.
 */
// links: base cltext chaos
#include "chaos/rules/canonical_json.h"
#include "chaos/rules/request_facts.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const pointers[] = { "/user", "/a/b", "/a/0/b", "/a//b",
	"/model", "/a/b/c" };

static void
must(bool is_true)
{
	if (!is_true)
		abort();
}

static void
compare(struct slice body, const struct canon_ignored *ignored)
{
	static const struct http1_head head;
	struct facts by_scan, by_tree;
	struct buf text;
	char *want;

	facts_init(&by_scan, "p", &head, body);
	facts_init(&by_tree, "p", &head, body);
	by_tree.reading = FACTS_BY_TREE;
	if (facts_canon(&by_scan, ignored, &text)) {
		want = canon_tree(facts_json(&by_tree), ignored);
		must(want != NULL);
		must(slice_same((struct slice){ text.data, text.len },
		    slice_of(want)));
		must(slice_same(facts_asked_model(&by_scan),
		    facts_asked_model(&by_tree)));
		must(facts_stream(&by_scan) == facts_stream(&by_tree));
		must(facts_has_tools(&by_scan) == facts_has_tools(&by_tree));
		free(want);
		buf_done(&text);
	}
	facts_done(&by_scan);
	facts_done(&by_tree);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice body = { (const char *)data, size };
	struct canon_ignored some = { pointers, COUNT(pointers) };
	struct canon_ignored none = { NULL, 0 };

	compare(body, &none);
	compare(body, &some);
	return 0;
}
