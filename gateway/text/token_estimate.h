/*
 * Tokens that nobody counted.  Four bytes a token is what tokenizers of today
 * come to in prose of European languages; code and other scripts differ by up
 * to a factor of two.
 */
#ifndef GATEWAY_TOKEN_ESTIMATE_H
#define GATEWAY_TOKEN_ESTIMATE_H

#include <stdint.h>

/* Of a text, or of a whole body. */
uint64_t token_estimate_text(uint64_t bytes);
/* Of a stream: an event is a token at least, and a large one is several. */
uint64_t token_estimate_stream(uint64_t events, uint64_t bytes);

#endif
