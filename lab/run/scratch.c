/*
 * The folder is made and locked under a name that no sweep looks at, and then
 * gets its own: so there is no moment in which it looks forsaken.
 */
#include "lab/run/scratch.h"

#include "base/files.h"
#include "base/mem.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRATCH_PREFIX "kf-lab-"

static const char *
top_folder(void)
{
	const char *top = getenv("TMPDIR");

	return top && *top ? top : "/tmp";
}

/* The folder, locked; -1: somebody has it, or it is none of ours. */
static int
lock_folder(const char *path)
{
	/* The folder above is everybody's: a link or a folder of another user's
	 * under our name is none of ours to remove. */
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() &&
	    flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	(void)close(fd);
	return -1;
}

void
scratch_sweep(void)
{
	DIR *d = opendir(top_folder());
	struct dirent *e;

	while (d && (e = readdir(d)) != NULL) {
		char *path;
		int fd;

		if (strncmp(e->d_name, SCRATCH_PREFIX,
		        strlen(SCRATCH_PREFIX)) != 0)
			continue;
		path = files_join(top_folder(), e->d_name);
		fd = lock_folder(path);
		if (fd >= 0) {
			files_remove_tree(path);
			(void)close(fd);
		}
		free(path);
	}
	if (d)
		(void)closedir(d);
}

/* From .kf-lab-XXXXXX to kf-lab-XXXXXX, locked; by its whole path, because
 * children and tools work elsewhere. */
static bool
lock_and_show(const char *hidden, char **ret, int *ret_fd)
{
	char *real = realpath(hidden, NULL), *slash, *shown;
	int fd = real ? lock_folder(real) : -1;

	if (fd < 0) {
		free(real);
		return false;
	}
	slash = strrchr(real, '/');
	shown = xasprintf("%.*s/%s", (int)(slash - real), real, slash + 2);
	if (rename(real, shown) < 0) {
		(void)rmdir(real);
		(void)close(fd);
		free(shown);
		shown = NULL;
	}
	free(real);
	if (!shown)
		return false;
	*ret = shown;
	*ret_fd = fd;
	return true;
}

enum err
scratch_make(char **ret, int *ret_fd, struct why *why)
{
	char *hidden = xasprintf("%s/." SCRATCH_PREFIX "XXXXXX", top_folder());
	enum err e = ERR_OK;

	scratch_sweep();
	if (!mkdtemp(hidden) || !lock_and_show(hidden, ret, ret_fd))
		e = why_set(why, ERR_IO, "%s: %s", hidden, strerror(errno));
	free(hidden);
	return e;
}
