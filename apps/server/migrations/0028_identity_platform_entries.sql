-- The audit of the platform: what concerns no workspace, or people in all of theirs. It holds ids and no names, no
-- address of mail and no secret; of a network only where somebody guessed. The product may add to it and read it.
create table identity.platform_entries (
  id              bigint      generated always as identity,
  action          text        not null,
  -- Whom it is about. No key: the entry stays when the person is gone.
  person_id       int,
  old_value       jsonb,
  new_value       jsonb,
  actor_kind      text        not null,
  actor_person_id int,
  network         text,
  request_id      text,
  created_at      timestamptz not null default platform.clock_now(),
  constraint platform_entries_pkey primary key (id),
  constraint platform_entries_actor_kind_known check (actor_kind in ('person', 'admin_key', 'system', 'nobody'))
);
create index platform_entries_person on identity.platform_entries (person_id, id);
create index platform_entries_created_at on identity.platform_entries (created_at);

-- All that the product may take out of it: a bounded number of the oldest, past their time. 0 months keep all.
create function identity.sweep_platform_entries(months int, bite int) returns int
  language sql security definer set search_path = pg_catalog, pg_temp as $$
  with swept as (
    delete from identity.platform_entries where months > 0 and id in (
      select e.id from identity.platform_entries e
      where e.created_at < platform.now() - make_interval(months => months) order by e.created_at limit bite)
    returning 1)
  select count(*)::int from swept
$$;
revoke execute on function identity.sweep_platform_entries(int, int) from public;
