/* ip6_dst_mtu_maybe_forward(): since 5.14 */
#include <net/ip6_route.h>
unsigned int rlb_probe(const struct dst_entry *dst);
unsigned int rlb_probe(const struct dst_entry *dst)
{
	return ip6_dst_mtu_maybe_forward(dst, true);
}
