// SPDX-License-Identifier: GPL-2.0-only
/*
 * service.c - requests about services
 *
 * In: messages. Out: changes, answers, notices. Process context; cfg_lock is taken here.
 */
#include "../dev.h"
#include "../draft.h"
#include "../history.h"
#include "../settle.h"
#include "../stats.h"
#include "nl.h"
#include "policy.h"

/* Answer with a service. A change is in force by now, so that too little memory is not an error. */
static int answer_service(struct genl_info *info, const struct rlb_service *svc)
{
	struct sk_buff *skb;
	void *header;
	int err;

	skb = rlb_nl_answer(info, &header);
	if (!skb)
		return -ENOMEM;
	err = rlb_fill_service(skb, svc);
	return rlb_nl_reply(skb, header, info, err);
}

int rlb_nl_service_new(struct sk_buff *skb, struct genl_info *info)
{
	struct rlb_net *rn = rlb_net_of(genl_info_net(info));
	struct nlattr *attr = info->attrs[RINGLB_A_SERVICE];
	struct rlb_service_config config;
	struct rlb_seat *seats = NULL;
	struct rlb_service *svc;
	int err;

	memset(&config, 0, sizeof(config));
	err = rlb_parse_service_new(attr, &config, info->extack) ?:
	      rlb_parse_seats(info, &config, &seats);
	if (err)
		goto out_free;
	mutex_lock(&rn->cfg_lock);
	svc = rlb_service_create(rn, &config, info->extack);
	err = PTR_ERR_OR_ZERO(svc);
	if (err) {
		NL_SET_BAD_ATTR(info->extack, attr);
		goto out;
	}
	rlb_net_changed(rn);
	rlb_notify_service(RINGLB_CMD_SERVICE_NEW_NOTICE, svc, info->snd_portid);
	rlb_history_add(svc, RINGLB_EVENT_SERVICE_ADD);
	answer_service(info, svc);
out:
	mutex_unlock(&rn->cfg_lock);
out_free:
	kvfree(seats);
	return err;
}

/* The first backend of a map that has no weight or is not there; else the nest of the service. */
static const struct nlattr *at_fault(const struct rlb_service *svc, struct genl_info *info, int err)
{
	const struct rlb_backend_item *item;
	struct rlb_backend_config c;
	struct nlattr *attr;
	int rem;

	if (err != -ENOENT)
		return info->attrs[RINGLB_A_SERVICE];
	rlb_for_each_backend_attr(attr, info, rem) {
		rlb_parse_backend(attr, svc, RINGLB_CMD_SERVICE_SET, &c, info->extack);
		item = rlb_backend_find(&svc->set, &c);
		if (!item || !item->weight)
			return attr;
	}
	return info->attrs[RINGLB_A_SERVICE];
}

/* What a request asks for; lists that it gives are to be freed, after a failure, too. */
static int parse_set(struct genl_info *info, const struct rlb_service *svc,
		     struct rlb_service_config *c, struct rlb_seat **seats, struct rlb_map **map)
{
	return rlb_parse_service_set(info->attrs[RINGLB_A_SERVICE], c,
				     info->attrs[RINGLB_A_SEATS] || info->attrs[RINGLB_A_BACKEND],
				     info->extack) ?:
	       rlb_parse_seats(info, c, seats) ?: rlb_parse_map(info, svc, c, map);
}

static int set_later(struct rlb_draft *draft, struct genl_info *info)
{
	struct rlb_service_config config = draft->config;
	struct rlb_seat *seats = NULL;
	int err;

	err = parse_set(info, draft->service, &config, &seats, &draft->map);
	if (err) {
		kvfree(seats);
		return err;
	}
	if (seats) {
		kvfree(draft->seats);
		draft->seats = seats;
	}
	rlb_draft_configure(draft, &config);
	return 0;
}

static int set_at_once(struct rlb_service *svc, struct genl_info *info)
{
	struct rlb_service_config config = svc->config;
	struct rlb_seat *seats = NULL;
	struct rlb_map *map = NULL;
	int err;

	err = parse_set(info, svc, &config, &seats, &map);
	if (!err) {
		err = rlb_service_change(svc, &config, info->extack);
		if (err)
			NL_SET_BAD_ATTR(info->extack, at_fault(svc, info, err));
	}
	kvfree(seats);
	rlb_map_free(map);
	if (err)
		return err;
	rlb_settle_kick(svc);
	rlb_net_changed(svc->rn);
	rlb_notify_service(RINGLB_CMD_SERVICE_SET_NOTICE, svc, info->snd_portid);
	rlb_history_add(svc, RINGLB_EVENT_SERVICE_SET);
	answer_service(info, svc);
	return 0;
}

static int service_set(struct rlb_net *rn, struct genl_info *info)
{
	struct rlb_service *svc;
	struct rlb_draft *draft;

	svc = rlb_parse_service_ref(rn, info->attrs[RINGLB_A_SERVICE], info->extack);
	if (IS_ERR(svc))
		return PTR_ERR(svc);
	draft = rlb_draft_opened(svc, info->snd_portid);
	return draft ? set_later(draft, info) : set_at_once(svc, info);
}

int rlb_nl_service_set(struct sk_buff *skb, struct genl_info *info)
{
	return rlb_nl_change(info, rlb_policy_service_set, service_set);
}

static void service_del(struct rlb_service *svc, u32 portid)
{
	rlb_notify_service(RINGLB_CMD_SERVICE_DEL_NOTICE, svc, portid);
	rlb_history_add(svc, RINGLB_EVENT_SERVICE_DEL);
	rlb_service_destroy(svc);
}

int rlb_nl_service_del(struct sk_buff *skb, struct genl_info *info)
{
	struct rlb_net *rn = rlb_net_of(genl_info_net(info));
	struct rlb_service *svc;

	mutex_lock(&rn->cfg_lock);
	svc = rlb_parse_service_ref(rn, info->attrs[RINGLB_A_SERVICE], info->extack);
	if (!IS_ERR(svc)) {
		service_del(svc, info->snd_portid);
		rlb_net_changed(rn);
	}
	mutex_unlock(&rn->cfg_lock);
	return PTR_ERR_OR_ZERO(svc);
}

int rlb_nl_service_get(struct sk_buff *skb, struct genl_info *info)
{
	struct rlb_net *rn = rlb_net_of(genl_info_net(info));
	struct rlb_service *svc;
	int err;

	mutex_lock(&rn->cfg_lock);
	svc = rlb_parse_service_ref(rn, info->attrs[RINGLB_A_SERVICE], info->extack);
	err = IS_ERR(svc) ? PTR_ERR(svc) : answer_service(info, svc);
	mutex_unlock(&rn->cfg_lock);
	return err;
}

/* Where a dump goes on. */
struct service_cursor {
	unsigned long id;
};

static int dump_service(struct sk_buff *skb, struct netlink_callback *cb,
			const struct rlb_service *svc)
{
	void *header;
	int err;

	header = rlb_nl_dump_begin(skb, cb, RINGLB_CMD_SERVICE_GET);
	if (!header)
		return -EMSGSIZE;
	genl_dump_check_consistent(cb, header);
	err = rlb_fill_service(skb, svc);
	return rlb_nl_dump_end(skb, header, err);
}

int rlb_nl_service_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct service_cursor *at = (struct service_cursor *)cb->ctx;
	struct rlb_net *rn = rlb_net_of(sock_net(skb->sk));
	struct rlb_service *svc;
	unsigned long id;

	BUILD_BUG_ON(sizeof(*at) > sizeof(cb->ctx));
	mutex_lock(&rn->cfg_lock);
	cb->seq = rn->seq;
	xa_for_each_start(&rn->services, id, svc, at->id) {
		if (dump_service(skb, cb, svc))
			break;
		at->id = id + 1;
	}
	mutex_unlock(&rn->cfg_lock);
	return skb->len;
}

int rlb_nl_flush(struct sk_buff *skb, struct genl_info *info)
{
	struct rlb_net *rn = rlb_net_of(genl_info_net(info));
	struct rlb_service *svc;
	unsigned long id;

	mutex_lock(&rn->cfg_lock);
	xa_for_each(&rn->services, id, svc)
		service_del(svc, info->snd_portid);
	rlb_devs_destroy(rn, info->snd_portid);
	rlb_net_changed(rn);
	mutex_unlock(&rn->cfg_lock);
	return 0;
}
