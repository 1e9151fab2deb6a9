/* A lab between lab_open() and lab_close().  Private to lab/. */
#ifndef LAB_OPEN_LAB_H
#define LAB_OPEN_LAB_H

#include "lab/run/zygote_handle.h"
#include "lab/stages/request.h"

struct lab {
	struct lab_conf conf;
	struct zygote *zygote; /* owned */
	struct zygote *tools;  /* owned */
	char *scratch;         /* owned */
	int scratch_fd;        /* its lock */
	char *clang;           /* owned; NULL: not installed */
	char *oclgrind;        /* owned; NULL: not installed */
};

#endif
