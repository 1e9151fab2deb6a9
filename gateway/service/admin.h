/*
 * The admin door: /ui, /healthz, /readyz, /metrics, /status, /recent, POST
 * /reload and what admin_store.h says.
 */
#ifndef GATEWAY_ADMIN_H
#define GATEWAY_ADMIN_H

#include "base/serve.h"

/* For serve_new; arg is the struct gateway. */
extern const struct serve_ops admin_ops;

#endif
