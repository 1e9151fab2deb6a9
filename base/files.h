/*
 * Files in one call, with caps and with reasons.
 */
#ifndef BASE_FILES_H
#define BASE_FILES_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Reads a whole file into *ret (owned, NUL-terminated), its length into
 * *ret_len when not NULL.  ERR_NOTFOUND, ERR_TOOBIG past max_bytes, ERR_IO;
 * ERR_SYNTAX of a pipe into which nobody writes.
 */
enum err files_read(const char *path, size_t max_bytes, char **ret,
    size_t *ret_len, struct why *why);

/* The same of what was kept as a file: a pipe or a device in its place, which
 * may never end, is ERR_SYNTAX. */
enum err files_read_kept(const char *path, size_t max_bytes, char **ret,
    size_t *ret_len, struct why *why);
/* Is there a file, the null device, or nothing at path?  ERR_SYNTAX of a pipe
 * or a device, before somebody opens it and waits. */
enum err files_check_kept(const char *path, struct why *why);
/* Opens to append, and makes it where it is missing.  Errors as of the two
 * above; *ret is a descriptor. */
enum err files_open_kept(const char *path, int *ret, struct why *why);

/* Replaces path by writing a neighbour and renaming it: whole or not at all.
 * A pipe or a device is written to; a pipe that nobody reads for five seconds
 * is ERR_IO. */
enum err files_write(const char *path, const void *p, size_t n,
    struct why *why);

enum err files_mkdirs(const char *path, struct why *why); /* like mkdir -p */
/* Removes a folder and all below it; links are not followed. */
void files_remove_tree(const char *path);
/* What a folder and all below it take of the disk; each entry a page at least.
 * What has no name any more is not seen. */
uint64_t files_tree_bytes(const char *path);
bool files_exists(const char *path);
char *files_join(const char *dir, const char *name); /* owned: dir/name */
/* The folder of a file, owned: up to its last slash, or ".". */
char *files_folder(const char *path);

/*
 * The paths of the files that end so, in the folders named in dirs ("a:b"),
 * folder by folder, each sorted.  Owned, NULL behind the last; a folder that
 * cannot be read gives none.
 */
char **files_list(const char *dirs, const char *ending);
void files_list_free(char **paths); /* NULL-safe */

#endif
