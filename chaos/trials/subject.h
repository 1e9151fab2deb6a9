/*
 * What audit, explore and shrink have in common: a program to run, given
 * behind "--", and a folder for what its runs leave behind.
 */
#ifndef CHAOS_SUBJECT_H
#define CHAOS_SUBJECT_H

#include "base/err.h"
#include "chaos/trials/trial.h"
#include <stdbool.h>

#define SUBJECT_WORDS_MAX 256

struct subject {
	char *const *command; /* NULL-terminated, borrowed from argv */
	char *folder;         /* owned */
	bool is_temporary;    /* removed at the end */
};

/*
 * out: the folder to keep; NULL: a temporary one.  ERR_SYNTAX when there is
 * no command behind "--", ERR_IO when there can be no folder.
 */
enum err subject_open(struct subject *s, int argc, char **argv, const char *out,
    struct why *why);
/* Run number n of it, in a folder of its own: fills name, folder and command
 * of conf and waits for the end. */
enum err subject_run(const struct subject *s, size_t n, struct trial_conf *conf,
    struct trial **ret, struct why *why);
void subject_close(struct subject *s);

#endif
