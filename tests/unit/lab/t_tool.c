/*
 * Where a tool is found: the program itself, wherever links lead; and a tool
 * that writes many files, each of them small enough.
 */
#include "lab/run/tool_process.h"

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

#define LONG_MAX_BYTES (8 << 20) /* a driver's compiler is longer by far */

/* A long library that this program has mapped: something to cut up. */
static char *
long_file(off_t *ret_bytes)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512], *found = NULL;

	*ret_bytes = 0;
	while (f && fgets(line, sizeof line, f)) {
		char *path = strchr(line, '/');
		struct stat st;

		if (path)
			path[strcspn(path, "\n")] = '\0';
		if (!path || strncmp(path, "/usr/", 5) != 0 ||
		    stat(path, &st) != 0 || st.st_size <= *ret_bytes ||
		    st.st_size > LONG_MAX_BYTES)
			continue;
		free(found);
		found = xstrdup(path);
		*ret_bytes = st.st_size;
	}
	if (f)
		fclose(f);
	return found;
}

/* How split(1) of a long file into pieces ends, when its files together may
 * hold so much. */
static enum tool_end
split(struct zygote *z, const char *file, uint64_t files_max)
{
	char *program = tool_find("split");
	const char *const args[] = { program, "-b", "65536", "-a", "6", file,
		NULL };
	const struct tool_job job = { .args = args,
		.cpu_s = 5,
		.deadline_ms = 20000,
		.file_max = 1 << 20,
		.files_max = files_max,
		.says_max = 4096 };
	struct tool *t = NULL;
	enum tool_end end = TOOL_TIMEOUT;
	const char *says = "";
	int status = 0;

	if (CHECK(program, "split(1)") &&
	    CHECK_INT(tool_start(z, unit_tmpdir(), &job, &t, NULL), ERR_OK,
	        "a tool"))
		end = tool_await(t, &status, &says);
	CHECK_STR(says, "", "it says nothing");
	tool_stop(t);
	free(program);
	return end;
}

static void
check_files(void)
{
	char *scratch = xasprintf("%s/zygote", unit_tmpdir());
	struct zygote *z = NULL;
	off_t bytes;
	char *file = long_file(&bytes);

	mkdir(scratch, 0700);
	if (CHECK(file && bytes > 1 << 20, "something to cut up") &&
	    CHECK_INT(zygote_start(ZYGOTE_TOOLS, NULL, scratch, &z, NULL),
	        ERR_OK, "a zygote")) {
		CHECK_INT(split(z, file, 4 * (uint64_t)bytes), TOOL_ENDED,
		    "files that there is room for");
		CHECK_INT(split(z, file, (uint64_t)bytes / 2), TOOL_FLOOD,
		    "more of them than there is room for");
	}
	zygote_stop(z);
	free(file);
	free(scratch);
}

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
	check_files();
}
