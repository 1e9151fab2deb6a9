/*
 * clang's two jobs before a candidate is compiled for a device.
 *
 *	expand	the preprocessor alone, with the macros that the device's own
 *		compiler would have: what it leaves is what is judged and what
 *		is compiled, so no #ifdef can show them different programs
 *	lower	that text to LLVM's for spir64, unoptimised: see ir.h
 *
 * Both run in tools' children (tool.h), several side by side.
 */
#ifndef LAB_CLANG_FRONT_END_H
#define LAB_CLANG_FRONT_END_H

#include "lab/run/tool_process.h"
#include "lab/stages/request.h"

enum clang_end {
	CLANG_DONE,
	CLANG_REFUSED, /* it does not compile: why holds the first error */
	CLANG_LIMIT,   /* it took more time, memory or text than is allowed */
	CLANG_BROKEN,  /* clang itself could not be run */
};

/* The option that says which extensions' macros the first one defines. */
const char *clang_extensions(void);

/* path: clang's.  ERR_IO. */
enum err clang_expand(struct lab *l, const char *text, struct tool **ret,
    struct why *why);
enum err clang_lower(struct lab *l, const char *text, struct tool **ret,
    struct why *why);

/*
 * Waits for either.  *ret_text is owned: of expand, from the prelude's first
 * line on.
 */
enum clang_end clang_await(struct tool *t, char **ret_text, struct why *why);

#endif
