-- What happens in a workspace outside of its boards, by month. Times rise strictly in the order of commits: whoever
-- writes an event holds the mark of the workspace until the commit, and takes the next time from it.
create table platform.event_marks (
  brand_id int         not null,
  last_at  timestamptz not null,
  constraint event_marks_pkey primary key (brand_id),
  constraint event_marks_brand_fkey foreign key (brand_id) references identity.brands (id)
);
create table platform.workspace_events (
  brand_id     int         not null,
  created_at   timestamptz not null,
  id           bigint      generated always as identity,
  type         text        not null,
  subject_kind text        not null,
  subject_id   text        not null,
  actor_kind   text        not null,
  actor_id     text,
  -- Ids and words of the interface, never names or addresses.
  data         jsonb       not null,
  constraint workspace_events_pkey primary key (brand_id, created_at, id)
) partition by range (created_at);
do $$
declare name text;
begin
  foreach name in array array['event_marks', 'workspace_events'] loop
    execute format('alter table platform.%I enable row level security', name);
    execute format('alter table platform.%I force row level security', name);
    execute format('create policy tenant on platform.%I using (brand_id = (select platform.current_brand()))
      with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on platform.%I using ((select platform.is_system()))
      with check ((select platform.is_system()))', name);
  end loop;
end $$;
select platform.add_partition('platform.workspace_events', 'head', null, date_trunc('month', platform.now(), 'UTC')),
  platform.add_partition('platform.workspace_events', 'tail', date_trunc('month', platform.now(), 'UTC'), null),
  platform.roll_partitions('platform.workspace_events', 'month', 3, 0);

create function platform.roll_events(keep int) returns void
  language sql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '150ms'
  as $$ select platform.roll_partitions('platform.workspace_events'::regclass, 'month', 3, keep) $$;
revoke execute on function platform.roll_events(int) from public;

-- The transaction that wrote an entry. Each board has an order of its own; a reader of all boards of a workspace goes
-- by what its last look could see, so that writers on different boards need no lock in common.
alter table boards.activity add written_in xid8;
alter table boards.activity alter written_in set default pg_current_xact_id();
create index activity_written_in on boards.activity (brand_id, written_in) where written_in is not null;
