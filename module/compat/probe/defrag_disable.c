/* nf_defrag_ipv4_disable(): since 5.12 */
#include <net/netfilter/ipv4/nf_defrag_ipv4.h>
void rlb_probe(struct net *net);
void rlb_probe(struct net *net)
{
	nf_defrag_ipv4_disable(net);
}
