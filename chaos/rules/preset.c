/*
 * The rules become part of the document before anything reads it, so they
 * are in the scenario's hash like all others.
 */
#include "chaos/rules/preset.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"
#include "base/jfield.h"
#include "base/mem.h"

#define FILE_MAX  (1u << 20)
#define PATH_SIZE 4096
#define FOLDER    "scenarios/presets"
#define SUFFIX    ".json"
#define NAMES_MAX 4096

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

/* The folder of the presets, owned: KF_PRESETS, that of the tree the program
 * was built in, that of its installation, or that of the working folder. */
static char *
folder(void)
{
	static const char *const places[] = { FOLDER,
		"share/kernelforge/" FOLDER };
	const char *named = getenv("KF_PRESETS");
	char *up = named ? NULL : home(), *path = NULL;

	for (size_t i = 0; up && !path && i < COUNT(places); i++) {
		path = files_join(up, places[i]);
		if (!files_exists(path)) {
			free(path);
			path = NULL;
		}
	}
	free(up);
	return path ? path : xstrdup(named ? named : FOLDER);
}

static bool
is_name(const char *text)
{
	return text && text[0] &&
	    !text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

enum err
preset_rules(const char *name, json_t **ret, struct why *why)
{
	char *dir = folder(), *path = xasprintf("%s/%s.json", dir, name);
	char *text = NULL;
	json_t *preset = NULL;
	size_t n = 0;
	enum err e = is_name(name)
	    ? files_read(path, FILE_MAX, &text, &n, why)
	    : why_set(why, ERR_SYNTAX, "expected the name of a preset");

	if (e == ERR_OK)
		e = jfield_parse(path, text, n, &preset, why);
	if (e == ERR_OK)
		*ret = json_incref(json_object_get(preset, "rules"));
	json_decref(preset);
	free(text);
	free(path);
	free(dir);
	return e;
}

static int
is_preset(const struct dirent *d)
{
	const char *dot = strrchr(d->d_name, '.');

	return dot && strcmp(dot, SUFFIX) == 0;
}

void
preset_names(json_t *names)
{
	char *dir = folder();
	struct dirent **files = NULL;
	int n = scandir(dir, &files, is_preset, alphasort);

	for (int i = 0; i < n; i++) {
		const char *file = files[i]->d_name;

		json_array_append_new(names,
		    json_stringn(file, strlen(file) - strlen(SUFFIX)));
		free(files[i]);
	}
	free(files);
	free(dir);
}

static enum err
no_such_preset(const char *name, struct why *why)
{
	json_t *names = json_array(), *v;
	struct buf list;
	size_t i;
	enum err e;

	preset_names(names);
	buf_init(&list, NAMES_MAX);
	json_array_foreach(names, i, v)
		buf_addf(&list, "%s%s", i ? ", " : "", json_string_value(v));
	e = why_set(why, ERR_NOTFOUND,
	    "/preset: found \"%.64s\", expected one of %s", name,
	    list.len ? list.data : "none that is installed");
	buf_done(&list);
	json_decref(names);
	return e;
}

static enum err
add(json_t *rules, json_t *name, struct why *why)
{
	const char *text = json_string_value(name);
	json_t *more = NULL;
	char found[128];
	enum err e;

	if (!is_name(text)) {
		jfield_describe(name, found, sizeof found);
		return why_set(why, ERR_SYNTAX,
		    "/preset: found %s, expected the name of a preset", found);
	}
	e = preset_rules(text, &more, why);
	if (e == ERR_NOTFOUND)
		return no_such_preset(text, why);
	if (e != ERR_OK)
		return why_prefix(why, e, "/preset: \"%s\"", text);
	json_array_extend(rules, more);
	json_decref(more);
	return ERR_OK;
}

/* Its rules would come twice, and be told of by their ids, which nobody wrote.
 */
static bool
is_before(json_t *names, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (json_equal(json_array_get(names, k),
		        json_array_get(names, i)))
			return json_is_string(json_array_get(names, i));
	return false;
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
			e = is_before(names, i)
			    ? why_set(why, ERR_SYNTAX,
			          "/preset: \"%.64s\" stands there twice",
			          json_string_value(name))
			    : add(rules, name, why);
	/* Gone once it is done, so that a document can be read again without
	 * its rules coming twice. */
	if (e == ERR_OK)
		json_object_del(doc, "preset");
	return e;
}
