/* Kernels of swiglu, on which most attacks were written, see corpus.h. */
#include "tests/unit/lab/corpus.h"

void
t_corpus_swiglu(void)
{
	corpus_check(CORPUS_GATED);
}
