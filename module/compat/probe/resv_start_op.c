/* struct genl_family has resv_start_op: since 6.1 */
#include <net/genetlink.h>
unsigned int rlb_probe(const struct genl_family *family);
unsigned int rlb_probe(const struct genl_family *family)
{
	return family->resv_start_op;
}
