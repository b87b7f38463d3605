-- Whoever is erased leaves a row with a number and nothing else, for what still names the number.
alter table identity.people add column erased_at timestamptz;
alter table identity.brands add column erased_at timestamptz;

-- What was asked for, and how far it has come. A job works in small bites and notes here where it goes on.
create table identity.person_erasures (
  person_id    int         not null,
  status       text        not null default 'scheduled',
  -- Null where the operator asked with the key of the installation.
  requested_by int,
  requested_at timestamptz not null default platform.now(),
  due_at       timestamptz not null,
  started_at   timestamptz,
  finished_at  timestamptz,
  pass         int         not null default 0,
  part         text        not null default '',
  position     text        not null default '',
  -- Nothing is done before: requests that had begun come to their end first.
  wait_until   timestamptz,
  touched_at   timestamptz not null default platform.now(),
  -- What has to be looked for; gone when it is done.
  known        jsonb,
  constraint person_erasures_pkey primary key (person_id),
  constraint person_erasures_person_fkey foreign key (person_id) references identity.people (id),
  constraint person_erasures_status_known check (status in ('scheduled', 'running', 'done')),
  constraint person_erasures_forgets check (status = 'running' or known is null)
);
create index person_erasures_open on identity.person_erasures (touched_at) where status <> 'done';

create table identity.brand_erasures (
  brand_id     int         not null,
  status       text        not null default 'scheduled',
  requested_by int,
  requested_at timestamptz not null default platform.now(),
  due_at       timestamptz not null,
  started_at   timestamptz,
  finished_at  timestamptz,
  pass         int         not null default 0,
  part         text        not null default '',
  position     text        not null default '',
  wait_until   timestamptz,
  touched_at   timestamptz not null default platform.now(),
  constraint brand_erasures_pkey primary key (brand_id),
  constraint brand_erasures_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint brand_erasures_status_known check (status in ('scheduled', 'running', 'done'))
);
create index brand_erasures_open on identity.brand_erasures (touched_at) where status <> 'done';

alter table identity.brand_erasures enable row level security;
alter table identity.brand_erasures force row level security;
create policy tenant on identity.brand_erasures
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on identity.brand_erasures
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- Whoever joins waits for whoever holds the person, as before; nobody who is erased joins, and nobody joins what is.
create or replace function identity.lock_person() returns trigger
  language plpgsql as $$
begin
  perform 1 from identity.people p where p.id = new.person_id and p.erased_at is null for no key update;
  if not found or exists (
      select from identity.brands b where b.id = new.brand_id and b.erased_at is not null) then
    return null;
  end if;
  return new;
end $$;

-- The networks of those who guessed at the password of somebody who is erased: may be their own.
create function identity.redact_platform_entries(person int, bite int) returns int
  language sql security definer set search_path = pg_catalog, pg_temp as $$
  with redacted as (
    update identity.platform_entries set network = null where id in (
      select e.id from identity.platform_entries e
      where e.person_id = person and e.network is not null
        and exists (select from identity.people p where p.id = person and p.erased_at is not null)
      order by e.id limit bite)
    returning 1)
  select count(*)::int from redacted
$$;
revoke execute on function identity.redact_platform_entries(int, int) from public;
