/* nf_send_reset() with a socket: since 5.11 */
#include <net/netfilter/ipv4/nf_reject.h>
void rlb_probe(struct net *net, struct sock *sk, struct sk_buff *skb);
void rlb_probe(struct net *net, struct sock *sk, struct sk_buff *skb)
{
	nf_send_reset(net, sk, skb, 0);
}
