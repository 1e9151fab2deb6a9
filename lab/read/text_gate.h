/*
 * The text gate: what kernel-contract.md section 1 refuses before compiling.
 * Pure; reads the source as a compiler does (continuations, digraphs and
 * trigraphs seen through, comments and strings not code).
 *
 * Directives, pragmas and attributes are lists of what is allowed: what they
 * make a compiler do beside translating the kernel has no end.  The argument
 * list is not looked at here: the compiler tells what it is (signature.h).
 */
#ifndef LAB_TEXT_GATE_H
#define LAB_TEXT_GATE_H

#include "cltext/candidate.h"
#include "ops/op.h"

/* ERR_DENIED with "line N: ..." in *why, or ERR_TOOBIG. */
enum err text_gate_check(const struct candidate *c, struct why *why);

/* The same words again, in the text as the preprocessor leaves it: what was
 * pasted together is whole there. */
enum err text_gate_check_expanded(const char *text, struct why *why);

/*
 * The extensions that the text switches on, by spaces, each once; what does
 * not fit is left out.
 */
void text_gate_extensions(const char *text, char *out, size_t size);

/* Of the first place where the code says name and an open parenthesis; 0:
 * nowhere. */
unsigned text_gate_line_of(const char *source, const char *name);

#endif
