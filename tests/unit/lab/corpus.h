/*
 * The corpus of kernels before the lab.  A bad kernel says
 * `// want: VERDICT CLASS [smoke]`, or `VERDICT|VERDICT CLASS`; CLASS "-" is any;
 * "smoke" means that it must pass the smoke test.  `// sole: STAGE` says that
 * only this stage sees it: left out, the kernel must get through.
 * `// seeds: N`: it must be refused under one of the first N.
 *
 * Those that attack our own code, or that one stage alone sees, are judged each
 * time; of the others one in six, drawn anew, and some good kernels; all with
 * KF_CORPUS=all.  With KF_CORPUS=hostile (a sanitizer is slow) it is one in two
 * of those that attack us, and one in 24 of the others.
 *
 * A family of operators is a group of the unit program, so that all of a
 * machine's cores have some of the work: the corpus takes minutes.
 */
#ifndef TESTS_UNIT_LAB_CORPUS_H
#define TESTS_UNIT_LAB_CORPUS_H

#include "lab/lab.h"
#include <stddef.h>

#define CORPUS_FOLDER      "tests/corpus/"
#define CORPUS_DEADLINE_MS 2000

enum corpus_family {
	CORPUS_RECTIFIERS,
	CORPUS_REDUCTIONS,
	CORPUS_NORMS,
	CORPUS_GATED,
	CORPUS_FAR_REACHED,
	CORPUS_OTHERS, /* operators that are in none of these */
	CORPUS_NFAMILIES
};

/* A group: opens a lab, judges all of a family, and looks whether anything is
 * left behind. */
void corpus_check(enum corpus_family family);

/* A lab of the corpus's deadline; false: there is none, which was said.  fds:
 * how many descriptors were open before. */
bool corpus_open(struct lab **ret, size_t *ret_fds);
/* Closes it: no process, descriptor or file may be left. */
void corpus_close(struct lab *l, size_t fds);

/* Under a fixed seed, and where that finds nothing under the next ones. */
void corpus_judge(struct lab *l, const struct op *op, const struct candidate *c,
    unsigned nseeds, struct lab_report *r);

#endif
