/* genl_info_dump(): since 6.6 */
#include <net/genetlink.h>
const struct genl_info *rlb_probe(struct netlink_callback *cb);
const struct genl_info *rlb_probe(struct netlink_callback *cb)
{
	return genl_info_dump(cb);
}
