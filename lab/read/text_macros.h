/*
 * What a text asks of the preprocessor, and whether every device's would
 * answer the same.  Pure.
 *
 * A verdict rests on one text: the one that the lab's compiler leaves.  Had
 * the candidate another text where __NVPTX__ is defined, or at another hour,
 * nobody would have judged that one.
 */
#ifndef LAB_TEXT_MACROS_H
#define LAB_TEXT_MACROS_H

#include "base/err.h"
#include <stddef.h>

/*
 * ERR_DENIED with "line N: ..." in *why where the text names a macro that
 * compilers or devices differ in, or where a condition of the preprocessor
 * names one that is neither the text's own, nor the prelude's, nor the same
 * in every OpenCL C 1.2.
 */
enum err text_macros_check(const char *source, struct why *why);

/*
 * The extensions whose macros the text names, outside of pragmas: by spaces,
 * behind what is in out already, each once; with "no " before those that the
 * list, the compiler's option, does not switch on.  What does not fit is left
 * out.
 */
void text_macros_extensions(const char *source, const char *list, char *out,
    size_t size);

#endif
