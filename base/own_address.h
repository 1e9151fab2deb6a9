/*
 * Which addresses are this machine's own, so that what is asked for somebody
 * elsewhere is not sent to what listens for this machine alone.
 */
#ifndef BASE_OWN_ADDRESS_H
#define BASE_OWN_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>

/*
 * Would a connection to it end on this machine?  Loopback, the address that is
 * none, IPv4 in IPv6's clothes, and what its interfaces have at this moment.
 */
bool own_address_is(const struct sockaddr *sa);

#endif
