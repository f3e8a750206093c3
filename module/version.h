/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * version.h - the one place of the version; dkms.conf and the tool agree with it by a test
 */
#ifndef _RINGLB_VERSION_H
#define _RINGLB_VERSION_H

#define RINGLB_VERSION "0.1.0"

#endif /* _RINGLB_VERSION_H */
