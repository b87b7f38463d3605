create schema docs_spaces;

create table docs_spaces.spaces (
  brand_id   int         not null,
  id         uuid        not null,
  name       text        not null,
  created_at timestamptz not null default platform.now(),
  updated_at timestamptz not null default platform.now(),
  constraint spaces_pkey primary key (brand_id, id),
  constraint spaces_brand_fkey foreign key (brand_id) references identity.brands (id)
);

-- Ids are of version 7, so their order is the order in which things were made, and the key serves the lists.
create table docs_spaces.pages (
  brand_id    int         not null,
  space_id    uuid        not null,
  id          uuid        not null,
  title       text        not null,
  body        text        not null,
  author_id   int         not null,
  author_name text        not null,
  version     int         not null default 1,
  created_at  timestamptz not null default platform.now(),
  updated_at  timestamptz not null default platform.now(),
  constraint pages_pkey primary key (brand_id, space_id, id),
  constraint pages_space_fkey foreign key (brand_id, space_id)
    references docs_spaces.spaces (brand_id, id) on delete cascade
);

-- People from outside the workspace who may open a space.
create table docs_spaces.guests (
  brand_id  int         not null,
  space_id  uuid        not null,
  person_id int         not null,
  role      text        not null,
  added_at  timestamptz not null default platform.now(),
  constraint guests_pkey primary key (brand_id, space_id, person_id),
  constraint guests_space_fkey foreign key (brand_id, space_id)
    references docs_spaces.spaces (brand_id, id) on delete cascade,
  constraint guests_role_known check (role in ('viewer', 'commenter', 'editor'))
);
create index guests_of_brand on docs_spaces.guests (brand_id, person_id);
-- What is shared with one person, over all workspaces.
create index guests_shared on docs_spaces.guests (person_id, space_id);

alter table docs_spaces.spaces enable row level security;
alter table docs_spaces.spaces force row level security;
create policy tenant on docs_spaces.spaces
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on docs_spaces.spaces
  using ((select platform.is_system())) with check ((select platform.is_system()));

alter table docs_spaces.pages enable row level security;
alter table docs_spaces.pages force row level security;
create policy tenant on docs_spaces.pages
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on docs_spaces.pages
  using ((select platform.is_system())) with check ((select platform.is_system()));

alter table docs_spaces.guests enable row level security;
alter table docs_spaces.guests force row level security;
create policy tenant on docs_spaces.guests
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on docs_spaces.guests
  using ((select platform.is_system())) with check ((select platform.is_system()));
