/* Kernels of all operators that have no group of their own, see corpus.h. */
#include "tests/unit/lab/corpus.h"

void
t_corpus_others(void)
{
	corpus_check(CORPUS_OTHERS);
}
