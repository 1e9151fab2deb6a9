/*
 * LLVM's text, line by line: the words that the IR gate asks for.  A line is
 * a slice of the text, never terminated.  Private to lab/read.
 */
#ifndef LAB_IR_TEXT_H
#define LAB_IR_TEXT_H

#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slice ir_cut(const char *p, size_t n);

/* The offset behind the whole word, or 0; a name after % or @ is no word. */
size_t ir_find_word(struct slice s, const char *word);
/* The name at the start of s, without its sigil; may be empty. */
struct slice ir_name_at(struct slice s);
/* From the first occurrence of text on; n is 0 when there is none. */
struct slice ir_from(struct slice s, const char *text);
/* The next word of letters, digits, '_' and '.' that no sigil precedes, from
 * *at on; n is 0 at the end. */
struct slice ir_next_word(struct slice s, size_t *at);

/* The value that an instruction defines, with its sigil, or empty. */
struct slice ir_result(struct slice line);
/* The instruction behind "%x = ", without "tail" and its kin, and without the
 * metadata behind it. */
struct slice ir_operation(struct slice line);

/* Blanks what is quoted: no word in it means anything. */
void ir_blank_quotes(char *text);

/* Bytes of the largest array or vector that a line speaks of. */
uint64_t ir_array_bytes(struct slice s);
/* The largest number after the word, as in "align 4". */
uint64_t ir_number_after(struct slice s, const char *word);
/* The most lanes of a vector that a line speaks of. */
uint64_t ir_lanes(struct slice s);

/* What one type may say it is, before products are formed. */
#define IR_COUNT_MAX ((uint64_t)1 << 40)

#endif
