/*
 * A store is one file under one name: by each of two names it would have other
 * journals beside it, SQLite's among them, and two programs would write over
 * each other.  So a symbolic link is followed, and a hard link refused.
 *
 * A file that is there is never opened here: closing it again would drop the
 * locks that this process has on it by another connection.
 */
#include "gateway/store/store_file.h"

#include "base/files.h"
#include "gateway/store/store.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum err
check(const char *path, const struct stat *st, struct why *why)
{
	if (!S_ISREG(st->st_mode))
		return why_set(why, ERR_SYNTAX, "the store %s is no file",
		    path);
	if (st->st_nlink > 1)
		return why_set(why, ERR_SYNTAX,
		    "the store %s has another name (a hard link): keep one, or "
		    "use a symbolic link",
		    path);
	return ERR_OK;
}

/* SQLite would make it readable for all. */
static enum err
make(const char *path, struct why *why)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0 && errno != EEXIST)
		return why_set(why, ERR_ENV, "the store %s: %s", path,
		    strerror(errno));
	if (fd >= 0)
		close(fd);
	return ERR_OK;
}

enum err
store_file_make(const char *path, char **ret, struct why *why)
{
	struct stat st;
	enum err e;

	e = stat(path, &st) == 0 ? check(path, &st, why) : make(path, why);
	if (e != ERR_OK)
		return e;
	*ret = realpath(path, NULL);
	return *ret
	    ? ERR_OK
	    : why_set(why, ERR_ENV, "the store %s: %s", path, strerror(errno));
}

bool
store_has_folder(const char *path, struct why *why)
{
	char *dir = files_folder(path);
	bool is_there = access(dir, W_OK | X_OK) == 0;

	if (!is_there)
		why_set(why, ERR_ENV, "the store %s: %s %s", path, dir,
		    strerror(errno));
	free(dir);
	return is_there;
}
