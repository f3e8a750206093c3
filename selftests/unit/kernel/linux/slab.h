/* SPDX-License-Identifier: GPL-2.0-only */
/* see ../kernel.h */
