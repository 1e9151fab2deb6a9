/*
 * The entry's argument list as the compiler saw it: from the metadata that
 * clang writes for it (-cl-kernel-arg-info), so that macros, typedefs,
 * qualifiers and brackets may stand in the text as they like.  Pure.
 *
 * Arguments are compared by kind: a pointer to global memory, an integer of
 * 32 bits, a float.  That a kernel reads half values through a float pointer
 * is for the holdouts to find.
 */
#ifndef LAB_SIGNATURE_H
#define LAB_SIGNATURE_H

#include "ops/op.h"

/* ir: LLVM's text.  ERR_DENIED: there is no such kernel, or it takes
 * something else; *why says which argument was found and expected. */
enum err signature_check(const char *ir, const struct op *op, const char *entry,
    struct why *why);

#endif
