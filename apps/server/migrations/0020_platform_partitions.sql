-- Tables that grow for ever are split by time, and the past is dropped instead of deleted. Each has a head (all
-- that is older than the first month or day) and a tail (all that is later than the last one that was made), so that
-- no write ever fails for want of a partition, whatever the clock does. There is no default partition: with one,
-- Postgres could not read the partitions one after another in the order of time.

-- From when on a list is whole. What is older was dropped.
create table platform.horizons (
  list       text        not null,
  kept_since timestamptz not null,
  constraint horizons_pkey primary key (list)
);

create function platform.kept_since(list text) returns timestamptz
  language sql stable parallel safe
  return coalesce((select h.kept_since from platform.horizons h where h.list = $1), '-infinity');

-- A partition with both walls of its parent. Null is without bound. The product has no right to it, and reaches it
-- only through the parent.
create function platform.add_partition(parent regclass, suffix text, from_at timestamptz, to_at timestamptz)
  returns void language plpgsql set timezone = 'UTC' as $$
declare
  space text := (select relnamespace::regnamespace::text from pg_class where oid = parent);
  name  text := (select relname || '_' || suffix from pg_class where oid = parent);
begin
  execute format('create table %I.%I partition of %s for values from (%s) to (%s)', space, name, parent,
    coalesce(quote_literal(from_at), 'minvalue'), coalesce(quote_literal(to_at), 'maxvalue'));
  execute format('alter table %I.%I enable row level security', space, name);
  execute format('alter table %I.%I force row level security', space, name);
  execute format('create policy tenant on %I.%I using (brand_id = (select platform.current_brand()))
    with check (brand_id = (select platform.current_brand()))', space, name);
  execute format('create policy system on %I.%I using ((select platform.is_system()))
    with check ((select platform.is_system()))', space, name);
end $$;

create function platform.partitions_of(parent regclass)
  returns table (name text, from_at timestamptz, to_at timestamptz)
  language sql stable set timezone = 'UTC' as $$
  select i.inhrelid::regclass::text,
    (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \(''([^'']+)''\)'))[1]::timestamptz,
    (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \(''([^'']+)''\)'))[1]::timestamptz
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = parent
$$;

-- Makes what is coming and drops what is past. `keep` counts whole months or days before this one; 0 keeps all.
-- Nobody can use the table meanwhile, so it waits for its turn only as long as its caller has set, and works on
-- nothing but empty or unwanted partitions. Rows in the tail stay where they are: it becomes a partition of its
-- own, as wide as they need. So is a time that nobody made partitions for.
create function platform.roll_partitions(parent regclass, unit text, ahead int, keep int)
  returns void language plpgsql set timezone = 'UTC' as $$
declare
  step       interval    := ('1 ' || unit)::interval;
  this       timestamptz := date_trunc(unit, platform.now());
  made_to    timestamptz := this + step * (ahead + 1);
  cutoff     timestamptz := case when keep > 0 then this - step * keep end;
  space      text        := (select relnamespace::regnamespace::text from pg_class where oid = parent);
  base       text        := (select relname from pg_class where oid = parent);
  was_system text        := current_setting('app.system', true);
  old        record;
  tail       record;
  newest     timestamptz;
  head_to    timestamptz;
begin
  if not exists (select from platform.partitions_of(parent) p where (p.to_at is null and p.from_at < made_to)
      or (p.to_at <= cutoff and p.to_at > platform.kept_since(space || '.' || base))) then
    return;
  end if;
  execute format('lock table only %s in access exclusive mode', parent);
  -- Looked up anew: another one may have had the turn before.
  select * into strict tail from platform.partitions_of(parent) p where p.to_at is null;
  if tail.from_at < made_to then
    -- Row security holds for the owner too, and would hide the rows of the tail.
    perform set_config('app.system', 'on', true);
    execute format('select max(created_at) from %s', tail.name) into newest;
    perform set_config('app.system', coalesce(was_system, ''), true);
    if newest is null then
      execute format('drop table %s', tail.name);
      if tail.from_at < this then
        perform platform.add_partition(parent, 'p' || to_char(tail.from_at, 'YYYYMMDD'), tail.from_at, this);
        tail.from_at := this;
      end if;
    else
      execute format('alter table %s detach partition %s', parent, tail.name);
      execute format('alter table %s rename to %I', tail.name, base || '_p' || to_char(tail.from_at, 'YYYYMMDD'));
      newest := greatest(date_trunc(unit, newest) + step, this);
      execute format('alter table %s attach partition %I.%I for values from (%L) to (%L)', parent, space,
        base || '_p' || to_char(tail.from_at, 'YYYYMMDD'), tail.from_at, newest);
      tail.from_at := newest;
    end if;
    while tail.from_at < made_to loop
      perform platform.add_partition(parent, 'p' || to_char(tail.from_at, 'YYYYMMDD'), tail.from_at,
        tail.from_at + step);
      tail.from_at := tail.from_at + step;
    end loop;
    perform platform.add_partition(parent, 'tail', tail.from_at, null);
  end if;
  select max(p.to_at) into head_to from platform.partitions_of(parent) p
    where p.to_at <= cutoff and p.to_at > platform.kept_since(space || '.' || base);
  if head_to is not null then
    for old in select p.name from platform.partitions_of(parent) p where p.to_at <= head_to loop
      execute format('drop table %s', old.name);
    end loop;
    perform platform.add_partition(parent, 'head', null, head_to);
    insert into platform.horizons (list, kept_since) values (space || '.' || base, head_to)
      on conflict on constraint horizons_pkey do update set kept_since = excluded.kept_since;
  end if;
end $$;

-- Audit. The times of a workspace's entries rise strictly in the order of commits: whoever writes one holds the row
-- of the workspace in here until the commit, and takes the next time from it.
create table platform.audit_marks (
  brand_id int         not null,
  first_at timestamptz not null,
  last_at  timestamptz not null,
  constraint audit_marks_pkey primary key (brand_id),
  constraint audit_marks_brand_fkey foreign key (brand_id) references identity.brands (id)
);
alter table platform.audit_marks enable row level security;
alter table platform.audit_marks force row level security;
create policy tenant on platform.audit_marks
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on platform.audit_marks
  using ((select platform.is_system())) with check ((select platform.is_system()));

select set_config('app.system', 'on', true);
insert into platform.audit_marks (brand_id, first_at, last_at)
  select brand_id, min(created_at), max(created_at) from platform.audit_entries group by 1;

-- What there is becomes the head. The keys to other tables go: making or dropping a partition would lock those too,
-- and an entry is written in the transaction that has just read its workspace.
alter table platform.audit_entries rename to audit_entries_head;
alter table platform.audit_entries_head alter id drop identity,
  drop constraint audit_entries_pkey, drop constraint audit_entries_brand_fkey;
drop index platform.audit_entries_action, platform.audit_entries_actor, platform.audit_entries_actor_action;
create table platform.audit_entries (
  like platform.audit_entries_head including defaults including constraints,
  constraint audit_entries_pkey primary key (brand_id, created_at, id)
) partition by range (created_at);
alter table platform.audit_entries alter id add generated always as identity;
create index audit_entries_action on platform.audit_entries (brand_id, action, created_at, id);
create index audit_entries_actor on platform.audit_entries (brand_id, actor_person_id, created_at, id);
create index audit_entries_actor_action
  on platform.audit_entries (brand_id, actor_person_id, action, created_at, id);
alter table platform.audit_entries enable row level security;
alter table platform.audit_entries force row level security;
create policy tenant on platform.audit_entries
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on platform.audit_entries
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- Part of every migration that splits a table: what there is ends with this month or day.
create function platform.begin_partitions(parent regclass, unit text, ahead int) returns void
  language plpgsql set timezone = 'UTC' as $$
declare
  head  text := (select format('%I.%I', relnamespace::regnamespace::text, relname || '_head') from pg_class
                 where oid = parent);
  bound timestamptz;
begin
  execute format('select date_trunc(%L, greatest(platform.now(), max(created_at))) + %L::interval from %s', unit,
    '1 ' || unit, head) into bound;
  execute format('alter table %s attach partition %s for values from (minvalue) to (%L)', parent, head, bound);
  perform platform.add_partition(parent, 'tail', bound, null);
  perform platform.roll_partitions(parent, unit, ahead, 0);
end $$;
select platform.begin_partitions('platform.audit_entries', 'month', 3);
select setval(pg_get_serial_sequence('platform.audit_entries', 'id'),
  (select coalesce(max(id), 0) + 1 from platform.audit_entries), false);

-- The product owns no table. This is all that it may have done to this one, and nobody else may.
create function platform.roll_audit(keep int) returns void
  language sql security definer set search_path = pg_catalog, pg_temp set lock_timeout = '150ms'
  as $$ select platform.roll_partitions('platform.audit_entries'::regclass, 'month', 3, keep) $$;
revoke execute on function platform.roll_audit(int) from public;
