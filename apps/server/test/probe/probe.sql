create schema probe;

create table probe.rows (
  id         int generated always as identity primary key,
  name       text        not null,
  created_at timestamptz not null default platform.now()
);
insert into probe.rows (name) select 'row ' || n from generate_series(1, 1000) as n;

create table probe.seats (room_id int not null, taken_at timestamptz not null default platform.now());
create index on probe.seats (room_id);

create table probe.marks (key uuid primary key, created_at timestamptz not null default platform.now());
-- No unique key on purpose: an effect that happens twice must be seen, not refused.
create table probe.effects (key uuid not null, waited_ms float8, done_at timestamptz not null default clock_timestamp());
create table probe.attempts (key uuid not null, attempt int not null, at timestamptz not null default platform.now());
create table probe.ticks (at timestamptz not null default platform.now(), pid int not null);

-- A tenant table, behind the same wall as those of the product.
create table probe.things (
  brand_id int     not null,
  id       uuid    not null default gen_random_uuid(),
  name     text    not null,
  locked   boolean not null default false,
  primary key (brand_id, id)
);
alter table probe.things enable row level security;
alter table probe.things force row level security;
create policy tenant on probe.things
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on probe.things
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- What the four features hold, and switches that are written naively.
create table probe.held_things (
  brand_id int  not null,
  id       uuid not null default gen_random_uuid(),
  feature  text not null,
  primary key (brand_id, id)
);
create table probe.naive_switches (
  brand_id   int     not null,
  key        text    not null,
  is_on      boolean not null,
  changed_by int,
  primary key (brand_id, key)
);
create table probe.naive_entries (
  brand_id int  not null,
  id       int  generated always as identity,
  key      text not null,
  primary key (brand_id, id)
);
-- Updates of machines that are requested naively: no index keeps a machine from having two.
create table probe.naive_updates (
  brand_id int  not null,
  id       uuid not null default gen_random_uuid(),
  desk_id  uuid not null,
  primary key (brand_id, id)
);
-- Tokens of desks that are replaced naively.
create table probe.naive_join_secrets (
  brand_id      int  not null,
  id            uuid not null default gen_random_uuid(),
  desk_id       uuid not null,
  secret_digest text not null,
  primary key (brand_id, id)
);
-- A count of live desks that is kept instead of taken.
create table probe.naive_live_desks (brand_id int primary key, live int not null);
do $$
declare name text;
begin
  foreach name in array array['held_things', 'naive_switches', 'naive_entries', 'naive_join_secrets', 'naive_updates', 'naive_live_desks'] loop
    execute format('alter table probe.%I enable row level security', name);
    execute format('alter table probe.%I force row level security', name);
    execute format('create policy tenant on probe.%I using (brand_id = (select platform.current_brand()))
      with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on probe.%I using ((select platform.is_system()))
      with check ((select platform.is_system()))', name);
  end loop;
end $$;

-- Invitations of guests that are written naively: nothing here keeps one address from having two.
create table probe.naive_invitations (
  brand_id  int not null,
  id        int generated always as identity,
  person_id int not null,
  primary key (brand_id, id)
);
alter table probe.naive_invitations enable row level security;
alter table probe.naive_invitations force row level security;
create policy tenant on probe.naive_invitations
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on probe.naive_invitations
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- Mail names that are written naively: no key keeps two people from one name, or one person from two.
create table probe.mail_names (name text not null, person_id int not null, is_current boolean not null);
create index on probe.mail_names (name);
create index on probe.mail_names (person_id);

-- The naive twin of the activity feed of boards.
create table probe.naive_activity (
  brand_id   int         not null,
  id         bigint      generated always as identity,
  created_at timestamptz not null,
  primary key (brand_id, id)
);
alter table probe.naive_activity enable row level security;
alter table probe.naive_activity force row level security;
create policy tenant on probe.naive_activity
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on probe.naive_activity
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- What was done for a key, without anything that keeps two of them apart.
create table probe.naive_keys (
  brand_id int    not null,
  id       bigint generated always as identity,
  key      text   not null,
  primary key (brand_id, id)
);
alter table probe.naive_keys enable row level security;
alter table probe.naive_keys force row level security;
create policy tenant on probe.naive_keys
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on probe.naive_keys
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- Notes are written by way of the handle of agent memory, and remember by which way and when they may be committed.
create table probe.notes (
  brand_id  int   not null,
  id        uuid  not null default gen_random_uuid(),
  name      text  not null,
  way       text  not null default current_setting('application_name'),
  commit_by text  default nullif(current_setting('app.commit_by', true), ''),
  primary key (brand_id, id)
);
create index on probe.notes (brand_id, name);
alter table probe.notes enable row level security;
alter table probe.notes force row level security;
create policy tenant on probe.notes
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on probe.notes
  using ((select platform.is_system())) with check ((select platform.is_system()));
create constraint trigger commit_limit after insert or update or delete on probe.notes
  deferrable initially deferred for each row
  when (platform.has_commit_limit()) execute function platform.check_commit_limit();
