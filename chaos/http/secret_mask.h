/*
 * A credential that an answer says again, plain or as JSON writes it.
 */
#ifndef CHAOS_SECRET_MASK_H
#define CHAOS_SECRET_MASK_H

#include <stddef.h>

/* Makes a '*' of each byte that says the secret, also where some of its
 * characters are escaped: "\/", "\u002B". */
void secret_mask(const char *secret, char *p, size_t n);

#endif
