create schema profiles;

-- What a workspace changed. The catalog itself is code; null means that the platform's value holds.
create table profiles.overrides (
  brand_id    int  not null,
  profile_key text not null,
  model       text,
  effort      text,
  limit_value int,
  constraint overrides_pkey primary key (brand_id, profile_key),
  constraint overrides_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint overrides_limit_positive check (limit_value > 0)
);

-- One row for each real change of one setting, written with the change.
create table profiles.changes (
  brand_id      int         not null,
  id            bigint      generated always as identity,
  profile_key   text        not null,
  field         text        not null,
  old_value     text,
  new_value     text,
  actor_user_id int         not null,
  actor_role    text        not null,
  created_at    timestamptz not null default platform.clock_now(),
  constraint changes_pkey primary key (brand_id, profile_key, id),
  constraint changes_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint changes_field_known check (field in ('model', 'effort', 'limit_value')),
  constraint changes_role_known check (actor_role in ('brand_admin', 'platform_admin')),
  constraint changes_real check (old_value is distinct from new_value)
);

-- Coders that a workspace does not use. All are available unless they stand here.
create table profiles.closed_coders (
  brand_id int  not null,
  coder    text not null,
  constraint closed_coders_pkey primary key (brand_id, coder),
  constraint closed_coders_brand_fkey foreign key (brand_id) references identity.brands (id)
);

alter table profiles.overrides enable row level security;
alter table profiles.overrides force row level security;
create policy tenant on profiles.overrides
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on profiles.overrides
  using ((select platform.is_system())) with check ((select platform.is_system()));

alter table profiles.changes enable row level security;
alter table profiles.changes force row level security;
create policy tenant on profiles.changes
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on profiles.changes
  using ((select platform.is_system())) with check ((select platform.is_system()));

alter table profiles.closed_coders enable row level security;
alter table profiles.closed_coders force row level security;
create policy tenant on profiles.closed_coders
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on profiles.closed_coders
  using ((select platform.is_system())) with check ((select platform.is_system()));
