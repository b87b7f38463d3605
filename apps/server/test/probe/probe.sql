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
