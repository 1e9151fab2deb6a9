/* Kernels of relu and abs, see corpus.h. */
#include "tests/unit/lab/corpus.h"

void
t_corpus_rectifiers(void)
{
	corpus_check(CORPUS_RECTIFIERS);
}
