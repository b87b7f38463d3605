-- Searches that were saved, of one person or for all members.
create table boards.views (
  brand_id   int         not null,
  id         uuid        not null default gen_random_uuid(),
  -- Null once a person was erased; only a shared view outlives them.
  person_id  int,
  name       text        not null,
  is_shared  boolean     not null default false,
  -- Parameters of a search as they are sent, so that they are read as those of a call.
  filters    jsonb       not null,
  created_at timestamptz not null default platform.now(),
  updated_at timestamptz not null default platform.now(),
  constraint views_pkey primary key (brand_id, id),
  constraint views_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint views_of_somebody check (is_shared or person_id is not null)
);
create index views_own on boards.views (brand_id, person_id, name, id);
create index views_shared on boards.views (brand_id, name, id) where is_shared;
-- Of one person over all workspaces, for their erasure.
create index views_person on boards.views (person_id);
alter table boards.views enable row level security;
alter table boards.views force row level security;
create policy tenant on boards.views
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on boards.views
  using ((select platform.is_system())) with check ((select platform.is_system()));
