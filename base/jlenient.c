/* Each line is parsed alone, so that a bad one costs itself and no other. */
#include "base/jlenient.h"

#include "base/files.h"
#include <stdlib.h>
#include <string.h>

#define LINES_MAX 200000

const char *
jlenient_text(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}

json_t *
jlenient_lines(const char *path, size_t max_bytes, size_t *ret_bad)
{
	json_t *lines = json_array();
	char *text = NULL, *end;
	size_t bad = 0;

	(void)files_read(path, max_bytes, &text, NULL, NULL);
	for (char *p = text;
	     p && json_array_size(lines) < LINES_MAX && (end = strchr(p, '\n'));
	     p = end + 1) {
		json_t *line = json_loadb(p, (size_t)(end - p),
		    JSON_REJECT_DUPLICATES, NULL);

		if (json_is_object(line))
			json_array_append(lines, line);
		else
			bad++;
		json_decref(line);
	}
	free(text);
	if (ret_bad)
		*ret_bad = bad;
	return lines;
}
