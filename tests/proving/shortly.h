/*
 * The verdict on a kernel of which it is known where it is wrong.
 *
 * Nearly all wrong ones are killed by a holdout of the storage type in which
 * they are wrong.  So these are judged first, under the same seed, and nothing
 * is begun for a later stage; what comes through meets the whole verdict.  A
 * kill is one of the whole verdict too: the same cases, in the same way.
 */
#ifndef TESTS_PROVING_SHORTLY_H
#define TESTS_PROVING_SHORTLY_H

#include "lab/lab.h"

/*
 * rq: the whole verdict, under a seed of its own.  check: does not believe the
 * above; who was killed so is judged whole as well, and that counts.
 */
void shortly_judge(struct lab *lab, const struct lab_request *rq,
    enum dtype wrong_in, bool check, struct lab_report *ret);

#endif
