/*
 * A line of the log names its request by "ROLE/OP/ITERATION", which is
 * kernels/OP/ITERATION, or kernels/OP/naive of the baseline.
 */
#include "agent/telling/corrupted_kernels.h"

#include "agent/ledger/ledger.h"
#include "base/mem.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* "OP/TRY", owned; NULL: it names no record. */
static char *
name_of(const char *key)
{
	const char *slash = strchr(key, '/');
	const char *last = strrchr(key, '/');
	bool is_naive = strncmp(key, "naive/", strlen("naive/")) == 0;

	if (!slash || last == slash || last - slash - 1 > LEDGER_OP_MAX ||
	    strlen(last + 1) > 15)
		return NULL;
	return xasprintf("%.*s/%s", (int)(last - slash - 1), slash + 1,
	    is_naive ? "naive" : last + 1);
}

static json_t *
what_was_done(json_t *line)
{
	static const char *const keys[] = { "rule", "operator", "site", "line",
		"before", "after" };
	json_t *what = json_object();

	for (size_t i = 0; i < COUNT(keys); i++)
		json_object_set(what, keys[i], json_object_get(line, keys[i]));
	return what;
}

json_t *
corrupted_kernels_of_log(json_t *chaos)
{
	json_t *all = json_object(), *line;
	size_t i;

	json_array_foreach(chaos, i, line) {
		const char *key =
		    json_string_value(json_object_get(line, "key"));
		char *name =
		    key && json_object_get(line, "after") ? name_of(key) : NULL;

		if (name)
			json_object_set_new(all, name, what_was_done(line));
		free(name);
	}
	return all;
}
