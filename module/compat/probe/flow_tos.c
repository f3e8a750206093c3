/* struct flowi4 has flowi4_tos: until 6.17 */
#include <net/flow.h>
u8 rlb_probe(const struct flowi4 *fl4);
u8 rlb_probe(const struct flowi4 *fl4)
{
	return fl4->flowi4_tos;
}
