/*
 * WebSocket frames (RFC 6455) as they pass by: where a frame and a message
 * begin and end.  Bytes in, events out, no I/O; nothing of a payload is kept.
 */
#ifndef CHAOS_WSFRAME_H
#define CHAOS_WSFRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WSFRAME_HEAD_MAX 14

enum wsframe_opcode {
	WSFRAME_CONTINUATION = 0,
	WSFRAME_TEXT = 1,
	WSFRAME_BINARY = 2,
	WSFRAME_CLOSE = 8,
	WSFRAME_PING = 9,
	WSFRAME_PONG = 10,
};

enum wsframe_event {
	WSFRAME_MORE,    /* all used up; feed more bytes */
	WSFRAME_HEAD,    /* a frame begins: head[0..head_n), and the fields */
	WSFRAME_PAYLOAD, /* the bytes used are payload, from `at` on */
	WSFRAME_END,     /* the frame is whole; no bytes are used */
	WSFRAME_BAD,     /* no frame of RFC 6455; the reader stays there */
};

struct wsframe_reader {
	unsigned char head[WSFRAME_HEAD_MAX];
	size_t head_n;
	enum wsframe_opcode opcode;
	bool is_final, is_masked;
	bool is_coded;    /* an extension's bit is set: payload is opaque */
	bool is_first;    /* the first frame of a message */
	uint64_t message; /* the one it belongs to, from 1; 0: none yet */
	uint64_t bytes;   /* of payload in this frame */
	uint64_t at;      /* WSFRAME_PAYLOAD: where in the payload */
	uint64_t seen;    /* private: payload bytes so far */
	bool is_fragment; /* private: the message goes on */
	int state;        /* private */
};

void wsframe_init(struct wsframe_reader *r);
enum wsframe_event wsframe_next(struct wsframe_reader *r,
    const unsigned char *p, size_t n, size_t *used);

/* What a payload byte is behind its frame's mask (or in front of it). */
unsigned char wsframe_mask(const struct wsframe_reader *r, unsigned char byte,
    uint64_t at);

#endif
