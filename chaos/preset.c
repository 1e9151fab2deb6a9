/*
 * The rules become part of the document before anything reads it, so they
 * are in the scenario's hash like all others.
 */
#include "chaos/preset.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/jfield.h"
#include "base/mem.h"

#define FILE_MAX  (1u << 20)
#define PATH_SIZE 4096
#define FOLDER    "scenarios/presets"

/* The folder above that of the program; owned, NULL when it has none. */
static char *
home(void)
{
	char path[PATH_SIZE];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	char *slash;

	for (int up = 0; up < 2 && n > 0; up++) {
		path[n] = '\0';
		slash = strrchr(path, '/');
		n = slash ? slash - path : 0;
	}
	return n > 0 ? xstrndup(path, (size_t)n) : NULL;
}

/* The preset's file, owned. */
static char *
path_of(const char *name)
{
	const char *folder = getenv("KF_PRESETS");
	char *up = home(), *path = NULL;

	if (folder)
		path = xasprintf("%s/%s.json", folder, name);
	else if (up)
		path = xasprintf("%s/%s/%s.json", up, FOLDER, name);
	if (!folder && (!path || !files_exists(path))) {
		free(path);
		path = xasprintf("%s/%s.json", FOLDER, name);
	}
	free(up);
	return path;
}

static enum err
add(json_t *rules, json_t *name, struct why *why)
{
	const char *text = json_string_value(name);
	char *path = NULL, *file = NULL, found[128];
	json_t *preset = NULL;
	size_t n = 0;
	enum err e;

	if (!text || !text[0] ||
	    text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")]) {
		jfield_describe(name, found, sizeof found);
		return why_set(why, ERR_SYNTAX,
		    "/preset: found %s, expected the name of a preset", found);
	}
	path = path_of(text);
	e = files_read(path, FILE_MAX, &file, &n, why);
	if (e == ERR_OK)
		e = jfield_parse(path, file, n, &preset, why);
	if (e == ERR_OK)
		json_array_extend(rules, json_object_get(preset, "rules"));
	else
		e = why_prefix(why, e, "/preset: \"%s\"", text);
	json_decref(preset);
	free(file);
	free(path);
	return e;
}

enum err
preset_expand(json_t *doc, struct why *why)
{
	json_t *names = json_object_get(doc, "preset"), *rules, *name;
	size_t i;
	enum err e = ERR_OK;

	if (!names)
		return ERR_OK;
	rules = json_object_get(doc, "rules");
	if (!rules) {
		rules = json_array();
		json_object_set_new(doc, "rules", rules);
	}
	if (!json_is_array(names))
		e = add(rules, names, why);
	json_array_foreach(names, i, name)
		if (e == ERR_OK)
			e = add(rules, name, why);
	if (e == ERR_OK)
		json_object_del(doc, "preset");
	return e;
}
