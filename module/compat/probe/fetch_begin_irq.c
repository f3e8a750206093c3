/* u64_stats_fetch_begin_irq(): until 6.2 */
#include <linux/u64_stats_sync.h>
unsigned int rlb_probe(const struct u64_stats_sync *s);
unsigned int rlb_probe(const struct u64_stats_sync *s)
{
	return u64_stats_fetch_begin_irq(s);
}
