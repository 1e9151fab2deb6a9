/*
 * Bags of strings.  They are short (what a program does in one run), so one
 * is counted in the other.
 */
#include "chaos/trials/effects.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/mem.h"

#define BYTES_MAX ((size_t)1 << 20)
#define LINES_MAX 10000u

/* ---- reading */

/* name: NULL for none.  What is not UTF-8 is no line of text. */
static void
add_line(json_t *list, const char *name, const char *line)
{
	char *text;

	if (json_array_size(list) >= LINES_MAX)
		return;
	text = name && *line ? xasprintf("%s: %s", name, line)
	                     : xstrdup(name ? name : line);
	json_array_append_new(list, json_string(text));
	free(text);
}

static void
add_file(json_t *list, const char *name, const char *path)
{
	char *text = NULL, *rest, *line;
	size_t n = 0;

	if (files_read_kept(path, BYTES_MAX, &text, &n, NULL) != ERR_OK)
		return;
	if (name && n == 0)
		add_line(list, name, "");
	for (rest = text; (line = strsep(&rest, "\n"));)
		if (*line)
			add_line(list, name, line);
	free(text);
}

static int
is_shown(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

void
effects_add(json_t *list, const char *path)
{
	struct dirent **names = NULL;
	int n = scandir(path, &names, is_shown, alphasort);

	if (n < 0) { /* no folder */
		add_file(list, NULL, path);
		return;
	}
	for (int i = 0; i < n; i++) {
		char *file = files_join(path, names[i]->d_name);

		add_file(list, names[i]->d_name, file);
		free(file);
		free(names[i]);
	}
	free(names);
}

/* ---- comparing */

static size_t
count_of(json_t *list, const char *text)
{
	json_t *v;
	size_t i, n = 0;

	json_array_foreach(list, i, v)
		n += strcmp(json_string_value(v), text) == 0;
	return n;
}

void
effects_compare(json_t *want, json_t *have, struct effects_change *ret)
{
	json_t *v;
	size_t i;

	*ret = (struct effects_change){ NULL, NULL, NULL };
	json_array_foreach(have, i, v) {
		const char *text = json_string_value(v);
		size_t wanted = count_of(want, text);

		if (wanted == 0 && !ret->other)
			ret->other = text;
		else if (wanted && !ret->twice && count_of(have, text) > wanted)
			ret->twice = text;
	}
	json_array_foreach(want, i, v) {
		const char *text = json_string_value(v);

		if (!ret->lost && count_of(have, text) < count_of(want, text))
			ret->lost = text;
	}
}
