/*
 * The file that a cassette is recorded into: whole lines and nothing else,
 * whatever becomes of the process or the disk.
 */
#ifndef CHAOS_CASSETTE_TAPE_H
#define CHAOS_CASSETTE_TAPE_H

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>

struct tape;

/*
 * Opens to append, and makes it where it is missing.  What a recording that
 * was killed left behind the last line's end is cut off, and said on standard
 * error; a whole line that only lacks its end gets it.  Errors as of
 * files_open_kept(); ERR_SYNTAX too where the last line is none of a cassette.
 */
enum err tape_open(const char *path, struct tape **ret, struct why *why);
/* One answer, its LF with it.  False: the file took not all of it, and is as
 * it was before; said on standard error the first time. */
bool tape_write(struct tape *t, const char *line, size_t n);
/* An answer that is not kept, for another reason. */
void tape_lose(struct tape *t, const char *reason);
bool tape_is_incomplete(const struct tape *t); /* was an answer not kept? */
void tape_close(struct tape *t);               /* NULL-safe */

#endif
