/* must not compile */
#include <linux/module.h>
int rlb_probe(void);
int rlb_probe(void)
{
	return rlb_there_is_no_such_function();
}
