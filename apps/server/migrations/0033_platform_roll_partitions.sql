-- Empty partitions that Postgres has been told of are made anew.
create or replace function platform.roll_partitions(parent regclass, unit text, ahead int, keep int)
  returns void language plpgsql set timezone = 'UTC' as $$
declare
  step       interval    := ('1 ' || unit)::interval;
  this       timestamptz := date_trunc(unit, platform.now());
  made_to    timestamptz := this + step * (ahead + 1);
  cutoff     timestamptz := case when keep > 0 then this - step * keep end;
  space      text        := (select relnamespace::regnamespace::text from pg_class where oid = parent);
  base       text        := (select relname from pg_class where oid = parent);
  was_system text        := current_setting('app.system', true);
  known      text[];
  empty      record;
  has_rows   boolean;
  old        record;
  tail       record;
  newest     timestamptz;
  head_to    timestamptz;
begin
  -- Once Postgres knows of an empty partition that it is empty, it plans to read it first and to sort the rest. One
  -- that is made anew is not known to be.
  select array_agg(p.name) into known from platform.partitions_of(parent) p join pg_class c on c.oid = p.name::regclass
    where (p.from_at > platform.now() or p.from_at is null) and c.reltuples = 0;
  if known is null and not exists (
      select from platform.partitions_of(parent) p where (p.to_at is null and p.from_at < made_to)
      or (p.to_at <= cutoff and p.to_at > platform.kept_since(space || '.' || base))) then
    return;
  end if;
  execute format('lock table only %s in access exclusive mode', parent);
  perform set_config('app.system', 'on', true);
  for empty in select * from platform.partitions_of(parent) p where p.name = any(known) and p.to_at is not null loop
    execute format('select exists (select from %s)', empty.name) into has_rows;
    continue when has_rows;
    execute format('drop table %s', empty.name);
    perform platform.add_partition(parent, coalesce('p' || to_char(empty.from_at, 'YYYYMMDD'), 'head'),
      empty.from_at, empty.to_at);
  end loop;
  perform set_config('app.system', coalesce(was_system, ''), true);
  -- Looked up anew: another one may have had the turn before.
  select * into strict tail from platform.partitions_of(parent) p where p.to_at is null;
  if tail.from_at < made_to or tail.name = any(known) then
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
