/* <net/gso.h>: since 6.5; what it declares stood in <linux/skbuff.h> before */
#include <net/gso.h>
bool rlb_probe(const struct sk_buff *skb);
bool rlb_probe(const struct sk_buff *skb)
{
	return skb_gso_validate_network_len(skb, 1500);
}
