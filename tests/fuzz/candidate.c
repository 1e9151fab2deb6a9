/* Candidates in both forms: whatever is accepted survives a round trip. */
// links: base cltext
#include "cltext/candidate.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct candidate c, again;
	struct why why;
	char *text;
	json_t *o;

	if (candidate_parse_file("fuzz", (const char *)data, size, &c, &why) ==
	    ERR_OK) {
		text = candidate_to_file(&c);
		if (strcmp(text, c.source) != 0)
			abort();
		free(text);
		candidate_done(&c);
	}
	if (candidate_parse_answer((const char *)data, size, &c, &why))
		return 0;
	o = candidate_to_json(&c);
	text = json_dumps(o, JSON_COMPACT);
	if (candidate_parse_answer(text, strlen(text), &again, &why))
		abort();
	candidate_done(&again);
	free(text);
	json_decref(o);
	text = candidate_to_file(&c);
	free(text);
	candidate_done(&c);
	return 0;
}
