/* Kernels of sums, maxima and means of rows, see corpus.h. */
#include "tests/unit/lab/corpus.h"

void
t_corpus_reductions(void)
{
	corpus_check(CORPUS_REDUCTIONS);
}
