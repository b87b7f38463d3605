-- The feed by month. What there is becomes the head; its key already holds the time, so nothing is copied or built.
select set_config('app.system', 'on', true);
alter table boards.activity rename to activity_head;
alter index boards.activity_pkey rename to activity_head_pkey;
alter table boards.activity_head alter id drop identity, drop constraint activity_board_fkey;
create table boards.activity (
  like boards.activity_head including defaults including constraints,
  constraint activity_pkey primary key (brand_id, board_id, created_at, id)
) partition by range (created_at);
alter table boards.activity alter id add generated always as identity;
alter table boards.activity enable row level security;
alter table boards.activity force row level security;
create policy tenant on boards.activity
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on boards.activity
  using ((select platform.is_system())) with check ((select platform.is_system()));
select platform.begin_partitions('boards.activity', 'month', 3);
select setval(pg_get_serial_sequence('boards.activity', 'id'),
  (select coalesce(max(id), 0) + 1 from boards.activity), false);

create function boards.roll_activity(keep int) returns void
  language sql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '150ms'
  as $$ select platform.roll_partitions('boards.activity'::regclass, 'month', 3, keep) $$;
revoke execute on function boards.roll_activity(int) from public;
