/* Where a tool is found: the program itself, wherever links lead. */
#include "lab/run/tool.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *
path_of(const char *dir, const char *name)
{
	return xasprintf("%s/%s%s%s", unit_tmpdir(), dir, *name ? "/" : "",
	    name);
}

/* An empty file that may be executed, or a link to one. */
static void
make(const char *dir, const char *name, const char *target)
{
	char *folder = path_of(dir, ""), *path = path_of(dir, name);
	FILE *f;

	mkdir(folder, 0755);
	if (target) {
		char *to = path_of(target, "");

		CHECK(symlink(to, path) == 0, path);
		free(to);
	} else if (CHECK((f = fopen(path, "w")) != NULL, path)) {
		fclose(f);
		chmod(path, 0755);
	}
	free(folder);
	free(path);
}

static const struct {
	const char *what, *name, *dirs[2], *want;
} rows[] = {
	{ "a file", "kf-tool", { "plain", "versioned" }, "plain/kf-tool" },
	{ "a link to a version of it", "kf-tool", { "versioned", "plain" },
	    "real/kf-tool-14" },
	{ "a cache by its name is passed over", "kf-tool",
	    { "cached", "plain" }, "plain/kf-tool" },
	{ "a version that is a link to the bare name", "kf-tool-15",
	    { "plain", "bare" }, "plain/kf-tool" },
	{ "a link to what stands behind its machine's name", "kf-tool",
	    { "triplet", "plain" }, "real/x86_64-linux-gnu-kf-tool.bfd" },
	{ "nothing but a cache", "kf-tool", { "cached", "real" }, NULL },
};

void
t_tool(void)
{
	char *before = xstrdup(getenv("PATH"));

	make("plain", "kf-tool", NULL);
	make("real", "kf-tool-14", NULL);
	make("real", "cache", NULL);
	make("versioned", "kf-tool", "real/kf-tool-14");
	make("bare", "kf-tool-15", "plain/kf-tool");
	make("cached", "kf-tool", "real/cache");
	make("real", "x86_64-linux-gnu-kf-tool.bfd", NULL);
	make("triplet", "kf-tool", "real/x86_64-linux-gnu-kf-tool.bfd");
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *path = xasprintf("%s/%s:%s/%s", unit_tmpdir(),
		    rows[i].dirs[0], unit_tmpdir(), rows[i].dirs[1]);
		char *want = rows[i].want ? path_of(rows[i].want, "") : NULL;
		char *found;

		setenv("PATH", path, 1);
		found = tool_find(rows[i].name);
		setenv("PATH", before, 1);
		if (!want)
			CHECK(!found, rows[i].what);
		else if (CHECK(found, rows[i].what))
			CHECK(strstr(found, rows[i].want), rows[i].what);
		free(found);
		free(want);
		free(path);
	}
	free(before);
}
