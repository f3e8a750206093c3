/* skb_clear_tstamp(): since 5.18 */
#include <linux/skbuff.h>
void rlb_probe(struct sk_buff *skb);
void rlb_probe(struct sk_buff *skb)
{
	skb_clear_tstamp(skb);
}
