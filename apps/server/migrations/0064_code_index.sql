create schema code_index;

-- What boards, lessons and indexes of code belong to. Ids are of version 7, so their order is that of creation.
create table code_index.projects (
  brand_id    int         not null,
  id          uuid        not null,
  name        text        not null,
  created_at  timestamptz not null default platform.now(),
  updated_at  timestamptz not null default platform.now(),
  archived_at timestamptz,
  constraint projects_pkey primary key (brand_id, id),
  constraint projects_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint projects_name_length check (char_length(name) between 1 and 200)
);
create index projects_open on code_index.projects (brand_id, id) where archived_at is null;
create index projects_archived on code_index.projects (brand_id, id) where archived_at is not null;

alter table code_index.projects enable row level security;
alter table code_index.projects force row level security;
create policy tenant on code_index.projects using (brand_id = (select platform.current_brand()))
  with check (brand_id = (select platform.current_brand()));
create policy system on code_index.projects using ((select platform.is_system()))
  with check ((select platform.is_system()));
