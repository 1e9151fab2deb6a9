/*
 * Keys that stand in what people ask and models answer: taken out before a
 * body is kept.  Known by how they begin, or named by who knows one.
 */
#ifndef GATEWAY_SECRET_SHAPES_H
#define GATEWAY_SECRET_SHAPES_H

/* Whatever looks like a key becomes asterisks behind its beginning. */
void secrets_mask(char *text);
/* So does that one, wherever it stands.  NULL and what is too short to be a
 * key are passed over. */
void secrets_mask_one(char *text, const char *secret);

#endif
