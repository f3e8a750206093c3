/* GENL_MCAST_CAP_NET_ADMIN: since 6.7, and in some older stable kernels */
#include <net/genetlink.h>
int rlb_probe(void);
int rlb_probe(void)
{
	return GENL_MCAST_CAP_NET_ADMIN;
}
