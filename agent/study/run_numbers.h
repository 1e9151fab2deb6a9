/*
 * What a study needs of one run directory, in numbers.
 *
 * Four agents are told apart in one run: the baseline; KernelForge; and
 * KernelForge without its holdouts, whose claims follow from the same ledger:
 * it would have claimed the first try that passed the smoke test.
 */
#ifndef AGENT_RUN_NUMBERS_H
#define AGENT_RUN_NUMBERS_H

#include "base/err.h"
#include <jansson.h>

/*
 * *ret, owned: operators; `naive`, `forge` and `unheld`, each with `claimed`,
 * `right`, `false_claims` and `by_op` (NAME to true where it was claimed and is
 * right); calls (questions), sent (requests of the agent), upstream (requests
 * that reached a model), cost_usd, wall_ms, fired (faults but delays).
 * ERR_NOTFOUND, ERR_SYNTAX: the folder holds no run that ended.
 */
enum err tally_run(const char *dir, json_t **ret, struct why *why);

/* pass^k: the chance that k of the n runs, c of them good, are all good. */
double tally_pass(unsigned c, unsigned n, unsigned k);

#endif
