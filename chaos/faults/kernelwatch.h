/*
 * A kernel on its way in a model's answer, and one site of a corruption
 * operator to find in it as soon as it can be known.  What cannot be edited
 * any more may go; what is held is no more than the statement that is being
 * read, the last site while it may still be the one, and, for operators whose
 * sites hang on what follows, the function.
 *
 * What is decided is what rewrite_plan() would decide on the whole answer.
 * Pure: text in, edits out.
 */
#ifndef CHAOS_KERNELWATCH_H
#define CHAOS_KERNELWATCH_H

#include "chaos/text/codescan.h"
#include "chaos/text/kernel_rewrite.h"

struct kernelwatch {
	/* private */
	const struct corrupt_operator *op;
	const struct rewrite_choice *choice; /* borrowed */
	const char *const *words;
	bool waits; /* for the end of the function */
	struct codescan scan;
	size_t read;    /* bytes of the content seen so far */
	size_t reserve; /* where the last site so far begins; SIZE_MAX: none */
	size_t look_at; /* a statement ended there that may hold a site; or 0 */
	size_t suspect; /* where the first that was not looked at begins */
	bool has_suspect, has_word, is_over;
	size_t looked; /* bytes read by all looks */
};

/* Both are borrowed. */
void kernelwatch_init(struct kernelwatch *w, const struct corrupt_operator *op,
    const struct rewrite_choice *choice);

/*
 * content: the answer so far, longer each time.
 *
 * ERR_OK     decided: *ret edits the content
 * ERR_AGAIN  not yet; the content before *ret_free can go
 */
enum err kernelwatch_read(struct kernelwatch *w, struct slice content,
    struct rewrite *ret, size_t *ret_free);

#endif
