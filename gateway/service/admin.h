/*
 * The admin door: /healthz, /readyz, /metrics, /status and POST /reload.
 */
#ifndef GATEWAY_ADMIN_H
#define GATEWAY_ADMIN_H

#include "base/serve.h"

/* For serve_new; arg is the struct gateway. */
extern const struct serve_ops admin_ops;

#endif
