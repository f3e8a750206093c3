/* struct genl_multicast_group has flags: since 5.14 */
#include <net/genetlink.h>
u8 rlb_probe(const struct genl_multicast_group *group);
u8 rlb_probe(const struct genl_multicast_group *group)
{
	return group->flags;
}
