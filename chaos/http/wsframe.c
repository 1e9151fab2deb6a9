/*
 * A head is gathered byte by byte, so that what is said of it never depends on
 * how bytes came; of payload only the count is kept.
 *
 *	HEAD --whole--> PAYLOAD --all seen--> HEAD
 *	HEAD --what RFC 6455 does not allow--> BAD
 */
#include "chaos/http/wsframe.h"

#include <string.h>

#define FINAL       0x80u
#define CODED       0x70u
#define OPCODE      0x0fu
#define MASKED      0x80u
#define LENGTH      0x7fu
#define LENGTH_16   126u
#define LENGTH_64   127u
#define CONTROL     0x08u
#define CONTROL_MAX 125u
#define MASK_BYTES  4u

enum state { IN_HEAD, IN_PAYLOAD, AT_BAD };

void
wsframe_init(struct wsframe_reader *r)
{
	*r = (struct wsframe_reader){ .state = IN_HEAD };
}

/* Of the length alone; the first two bytes are there. */
static size_t
length_bytes(const struct wsframe_reader *r)
{
	switch (r->head[1] & LENGTH) {
	case LENGTH_16:
		return 2;
	case LENGTH_64:
		return 8;
	default:
		return 0;
	}
}

static size_t
head_bytes(const struct wsframe_reader *r)
{
	if (r->head_n < 2)
		return 2;
	return 2 + length_bytes(r) + (r->head[1] & MASKED ? MASK_BYTES : 0);
}

/* False: no frame may be so, or not behind those before it. */
static bool
read_head(struct wsframe_reader *r)
{
	unsigned opcode = r->head[0] & OPCODE, length = r->head[1] & LENGTH;
	bool is_control = opcode & CONTROL;

	r->opcode = (enum wsframe_opcode)opcode;
	r->is_final = r->head[0] & FINAL;
	r->is_coded = r->head[0] & CODED;
	r->is_masked = r->head[1] & MASKED;
	r->is_first = opcode == WSFRAME_TEXT || opcode == WSFRAME_BINARY;
	r->bytes = length_bytes(r) ? 0 : length;
	for (size_t i = 0; i < length_bytes(r); i++)
		r->bytes = r->bytes << 8 | r->head[2 + i];
	r->seen = 0;
	if (is_control)
		return opcode <= WSFRAME_PONG && r->is_final &&
		    r->bytes <= CONTROL_MAX;
	if (opcode > WSFRAME_BINARY || r->bytes >> 63 ||
	    r->is_fragment == r->is_first)
		return false;
	r->message += r->is_first;
	r->is_fragment = !r->is_final;
	return true;
}

enum wsframe_event
wsframe_next(struct wsframe_reader *r, const unsigned char *p, size_t n,
    size_t *used)
{
	uint64_t left = r->bytes - r->seen;

	*used = 0;
	if (r->state == AT_BAD)
		return WSFRAME_BAD;
	if (r->state == IN_PAYLOAD && left == 0) {
		r->state = IN_HEAD;
		r->head_n = 0;
		return WSFRAME_END;
	}
	if (r->state == IN_PAYLOAD && n > 0) {
		*used = n < left ? n : (size_t)left;
		r->at = r->seen;
		r->seen += *used;
		return WSFRAME_PAYLOAD;
	}
	while (r->state == IN_HEAD && *used < n) {
		r->head[r->head_n++] = p[(*used)++];
		if (r->head_n < head_bytes(r))
			continue;
		r->state = read_head(r) ? IN_PAYLOAD : AT_BAD;
		return r->state == AT_BAD ? WSFRAME_BAD : WSFRAME_HEAD;
	}
	return WSFRAME_MORE;
}

unsigned char
wsframe_mask(const struct wsframe_reader *r, unsigned char byte, uint64_t at)
{
	return r->is_masked
	    ? (unsigned char)(byte ^
	          r->head[r->head_n - MASK_BYTES + at % MASK_BYTES])
	    : byte;
}
