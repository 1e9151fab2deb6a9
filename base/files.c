/* Whole files: read with a cap, replaced by rename. */
#include "base/files.h"

#include "base/mem.h"
#include "base/slice.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define READER_TRIES 500 /* every 10 ms */

static enum err
err_of_errno(int code)
{
	switch (code) {
	case ENOENT:
	case ENOTDIR:
		return ERR_NOTFOUND;
	case EACCES:
	case EPERM:
	case EROFS:
		return ERR_DENIED;
	default:
		return ERR_IO;
	}
}

static enum err
fail_errno(struct why *why, const char *path)
{
	int code = errno;

	return why_set(why, err_of_errno(code), "%s: %s", path, strerror(code));
}

/* Reads until the end or until more than max_bytes came. */
static enum err
read_all(int fd, size_t max_bytes, char **ret, size_t *ret_len)
{
	size_t size = 8192, len = 0;
	char *data = xmalloc(size);
	ssize_t n;

	while ((n = read(fd, data + len, size - 1 - len)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		len += (size_t)n;
		if (len > max_bytes)
			break;
		if (len == size - 1) {
			size *= 2;
			data = xreallocarray(data, size, 1);
		}
	}
	if (n != 0) {
		free(data);
		return n < 0 ? ERR_IO : ERR_TOOBIG;
	}
	data[len] = '\0';
	*ret = data;
	*ret_len = len;
	return ERR_OK;
}

/* A file tells before it is read; what is no file may say 0. */
static bool
is_longer(int fd, size_t max_bytes)
{
	struct stat s;

	return fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0 &&
	    (uintmax_t)s.st_size > max_bytes;
}

/* Nobody waits for a pipe into which nobody writes; one with a writer, as
 * /dev/stdin or what a shell puts for <(...), is read to its end. */
static int
open_to_read(const char *path, bool *ret_is_pipe)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat s;

	*ret_is_pipe = fd >= 0 && fstat(fd, &s) == 0 && S_ISFIFO(s.st_mode);
	if (fd >= 0)
		(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

enum err
files_read(const char *path, size_t max_bytes, char **ret, size_t *ret_len,
    struct why *why)
{
	size_t len = 0;
	bool is_pipe;
	int fd = open_to_read(path, &is_pipe);
	char *data = NULL;
	enum err e;

	if (fd < 0)
		return fail_errno(why, path);
	e = is_longer(fd, max_bytes) ? ERR_TOOBIG
	                             : read_all(fd, max_bytes, &data, &len);
	if (e == ERR_IO)
		e = fail_errno(why, path);
	else if (e == ERR_OK && is_pipe && len == 0) {
		free(data);
		e = why_set(why, ERR_SYNTAX,
		    "%s: a pipe from which nothing came", path);
	} else if (e == ERR_TOOBIG)
		why_set(why, e, "%s: longer than %zu bytes", path, max_bytes);
	if (e == ERR_OK)
		*ret = data;
	if (e == ERR_OK && ret_len)
		*ret_len = len;
	close(fd);
	return e;
}

static bool
is_null_device(const struct stat *s)
{
	struct stat null;

	return S_ISCHR(s->st_mode) && stat("/dev/null", &null) == 0 &&
	    s->st_rdev == null.st_rdev;
}

static enum err
fail_special(const char *path, struct why *why)
{
	return why_set(why, ERR_SYNTAX,
	    "%s: found a pipe or a device, expected a file", path);
}

enum err
files_check_kept(const char *path, struct why *why)
{
	struct stat s;
	/* A link to a pipe is what a shell puts for <(...): it has its writer.
	 */
	bool is_pipe = lstat(path, &s) == 0 && S_ISFIFO(s.st_mode);
	bool is_device = stat(path, &s) == 0 &&
	    (S_ISCHR(s.st_mode) || S_ISBLK(s.st_mode) || S_ISSOCK(s.st_mode));

	return is_pipe || (is_device && !is_null_device(&s))
	    ? fail_special(path, why)
	    : ERR_OK;
}

enum err
files_open_kept(const char *path, int *ret, struct why *why)
{
	enum err e = files_check_kept(path, why);
	int fd;

	if (e != ERR_OK)
		return e;
	/* Not to wait for the reader of a pipe behind a link. */
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK,
	    0644);
	if (fd < 0)
		return errno == ENXIO ? fail_special(path, why)
		                      : fail_errno(why, path);
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	*ret = fd;
	return ERR_OK;
}

enum err
files_read_kept(const char *path, size_t max_bytes, char **ret, size_t *ret_len,
    struct why *why)
{
	enum err e = files_check_kept(path, why);

	return e == ERR_OK ? files_read(path, max_bytes, ret, ret_len, why) : e;
}

static bool
write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return false;
		p += w;
		n -= (size_t)w;
	}
	return true;
}

/* Whoever is to read a pipe may be starting just now. */
static int
open_to_write(const char *path)
{
	const struct timespec moment = { 0, 10000000 };
	int fd = -1;

	for (int i = 0; fd < 0 && i < READER_TRIES; i++) {
		if (i > 0)
			(void)nanosleep(&moment, NULL);
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0 && errno != ENXIO)
			break;
	}
	if (fd >= 0)
		(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

/* A device or a pipe is written to: a file in its place would be another. */
static enum err
write_into(const char *path, const void *p, size_t n, struct why *why)
{
	int fd = open_to_write(path);
	enum err e = ERR_OK;

	if (fd < 0 && errno == ENXIO)
		return why_set(why, ERR_IO, "%s: a pipe that nobody reads",
		    path);
	if (fd < 0)
		return fail_errno(why, path);
	if (!write_all(fd, p, n))
		e = fail_errno(why, path);
	close(fd);
	return e;
}

enum err
files_write(const char *path, const void *p, size_t n, struct why *why)
{
	char *neighbour;
	enum err e = ERR_OK;
	struct stat st;
	int fd;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return write_into(path, p, n, why);
	neighbour = xasprintf("%s.new-%ld", path, (long)getpid());
	fd = open(neighbour, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0) {
		e = fail_errno(why, path);
		goto out;
	}
	/* Renamed and not overwritten: whoever reads meanwhile, or after a
	 * kill, finds the old file or the new one. */
	if (!write_all(fd, p, n) || rename(neighbour, path) < 0) {
		e = fail_errno(why, path);
		unlink(neighbour);
	}
	close(fd);
out:
	free(neighbour);
	return e;
}

enum err
files_mkdirs(const char *path, struct why *why)
{
	char *copy = xstrdup(path);
	enum err e = ERR_OK;

	for (char *p = copy + 1; e == ERR_OK; p++) {
		char c = *p;

		if (c != '/' && c != '\0')
			continue;
		*p = '\0';
		/* Made and not asked for first: another process may make it
		 * between the question and the deed. */
		if (mkdir(copy, 0755) < 0 && errno != EEXIST)
			e = fail_errno(why, copy);
		*p = c;
		if (c == '\0')
			break;
	}
	free(copy);
	return e;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void
files_remove_tree(const char *path)
{
	(void)nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#define BLOCK_BYTES 512 /* of st_blocks, whatever the file system's own */
#define ENTRY_BYTES 4096

/* nftw() hands its callback nothing of the caller's. */
static _Thread_local uint64_t tree_bytes;

static int
add_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	uint64_t bytes = (uint64_t)st->st_blocks * BLOCK_BYTES;

	(void)path;
	(void)ftw;
	/* Of what went away meanwhile there is no size. */
	if (type != FTW_NS)
		tree_bytes += bytes > ENTRY_BYTES ? bytes : ENTRY_BYTES;
	return 0;
}

uint64_t
files_tree_bytes(const char *path)
{
	tree_bytes = 0;
	(void)nftw(path, add_one, 16, FTW_PHYS);
	return tree_bytes;
}

bool
files_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

char *
files_join(const char *dir, const char *name)
{
	size_t n = strlen(dir);

	return xasprintf("%s%s%s", dir, n > 0 && dir[n - 1] == '/' ? "" : "/",
	    name);
}

char *
files_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xstrndup(path, (size_t)(slash - path) + 1)
	             : xstrdup(".");
}

static char **
add_folder(char **paths, size_t *n, const char *dir, const char *ending)
{
	struct dirent **entries = NULL;
	int nentries = scandir(dir, &entries, NULL, alphasort);

	for (int i = 0; i < nentries; i++) {
		const char *name = entries[i]->d_name;

		if (name[0] != '.' && slice_ends(slice_of(name), ending)) {
			paths = xreallocarray(paths, *n + 2, sizeof *paths);
			paths[(*n)++] = files_join(dir, name);
			paths[*n] = NULL;
		}
		free(entries[i]);
	}
	free(entries);
	return paths;
}

char **
files_list(const char *dirs, const char *ending)
{
	char *copy = xstrdup(dirs), *rest = copy, *dir;
	char **paths = xcalloc(1, sizeof *paths);
	size_t n = 0;

	while ((dir = strsep(&rest, ":")))
		paths = add_folder(paths, &n, dir, ending);
	free(copy);
	return paths;
}

void
files_list_free(char **paths)
{
	for (size_t i = 0; paths && paths[i]; i++)
		free(paths[i]);
	free(paths);
}
