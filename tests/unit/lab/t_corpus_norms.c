/* Kernels of softmax and the two norms, see corpus.h. */
#include "tests/unit/lab/corpus.h"

void
t_corpus_norms(void)
{
	corpus_check(CORPUS_NORMS);
}
