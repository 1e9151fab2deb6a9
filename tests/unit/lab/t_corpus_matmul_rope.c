/* Kernels of matrix products and rotations, see corpus.h. */
#include "tests/unit/lab/corpus.h"

void
t_corpus_matmul_rope(void)
{
	corpus_check(CORPUS_FAR_REACHED);
}
