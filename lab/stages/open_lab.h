/* A lab between lab_open() and lab_close().  Private to lab/. */
#ifndef LAB_OPEN_LAB_H
#define LAB_OPEN_LAB_H

#include "lab/run/zygote_handle.h"
#include "lab/stages/request.h"

struct lab {
	struct lab_conf conf;
	struct zygote *zygote; /* owned */
	struct zygote *tools;  /* owned */
	struct zygote *timing; /* owned; NULL: nothing was timed yet */
	char *scratch;         /* owned */
	int scratch_fd;        /* its lock */
	char *clang;           /* owned; NULL: not installed */
	char *oclgrind;        /* owned; NULL: not installed */
};

/* Starts the zygote whose children are timed, once.  ERR_ENV. */
enum err open_lab_for_timing(struct lab *l, struct why *why);

#endif
