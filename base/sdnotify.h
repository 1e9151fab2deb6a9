/*
 * Tells the service manager that started us that we serve now: systemd's
 * notification, for units of Type=notify.  `systemctl start` then comes back
 * when the port is open, or with the reason why it is not.
 */
#ifndef BASE_SDNOTIFY_H
#define BASE_SDNOTIFY_H

/* Without NOTIFY_SOCKET, and where nobody listens there, nothing happens: a
 * program that serves does not end because nobody wanted to hear it. */
void sdnotify_ready(void);

#endif
