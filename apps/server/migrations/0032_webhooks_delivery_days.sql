-- Deliveries by day. What there is becomes the head. The key begins with the id, because a delivery is sent again by
-- its id alone.
select set_config('app.system', 'on', true);
alter table webhooks.deliveries rename to deliveries_head;
alter table webhooks.deliveries_head alter seq drop identity,
  drop constraint deliveries_pkey, drop constraint deliveries_brand_fkey;
drop index webhooks.deliveries_newest, webhooks.deliveries_by_status, webhooks.deliveries_due,
  webhooks.deliveries_waiting, webhooks.deliveries_age;
create table webhooks.deliveries (
  like webhooks.deliveries_head including defaults including constraints,
  constraint deliveries_pkey primary key (brand_id, id, created_at)
) partition by range (created_at);
alter table webhooks.deliveries alter seq add generated always as identity;
create index deliveries_newest on webhooks.deliveries (brand_id, webhook_id, created_at, seq);
create index deliveries_by_status on webhooks.deliveries (brand_id, webhook_id, status, created_at, seq);
create index deliveries_due on webhooks.deliveries (brand_id, webhook_id, next_attempt_at) where status = 'pending';
-- For the sweep, which looks over all workspaces.
create index deliveries_waiting on webhooks.deliveries (queued_at) where status = 'pending';
alter table webhooks.deliveries enable row level security;
alter table webhooks.deliveries force row level security;
create policy tenant on webhooks.deliveries
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on webhooks.deliveries
  using ((select platform.is_system())) with check ((select platform.is_system()));
select platform.begin_partitions('webhooks.deliveries', 'day', 4);
select setval(pg_get_serial_sequence('webhooks.deliveries', 'seq'),
  (select coalesce(max(seq), 0) + 1 from webhooks.deliveries), false);

create function webhooks.roll_deliveries(keep int) returns void
  language sql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '150ms'
  as $$ select platform.roll_partitions('webhooks.deliveries'::regclass, 'day', 4, keep) $$;
revoke execute on function webhooks.roll_deliveries(int) from public;
