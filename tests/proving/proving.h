/* The commands of the proving ground, and what they share. */
#ifndef TESTS_PROVING_PROVING_H
#define TESTS_PROVING_PROVING_H

#include "base/err.h"
#include "tests/proving/corpus.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROVING_CORPUS "kernels/plain:tests/corpus/good"

/* argv[0] is the command's name.  Return the exit code. */
int proving_mutation(int argc, char **argv);
int proving_soak(int argc, char **argv);
int proving_adversary(int argc, char **argv);
int proving_composed(int argc, char **argv);

/* 32 bytes from a word, the same every time. */
void proving_seed(const char *word, uint64_t number, uint8_t out[32]);

/* Eight letters that nobody chose; owned. */
char *proving_fresh_seed(void);

/* Makes the folder out, if it is not there, and a scratch folder, whose name
 * goes to work. */
enum err proving_folders(const char *out, char *work, size_t size,
    struct why *why);

/* Did pool_run() come to its end?  If it was stopped, says how it goes on. */
bool proving_is_whole(enum err e, size_t done, size_t total);

/* One line that is rewritten on a terminal, and a line in a hundred in a
 * pipe; on standard error. */
void proving_progress(size_t done, size_t total, const char *what);

#endif
