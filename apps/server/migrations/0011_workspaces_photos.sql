-- The picture of a member belongs to the membership: what one workspace shows says nothing about another.
create table workspaces.member_photos (
  brand_id     int         not null,
  person_id    int         not null,
  object_key   text        not null,
  content_type text        not null,
  digest       text        not null,
  updated_at   timestamptz not null default platform.now(),
  constraint member_photos_pkey primary key (brand_id, person_id),
  -- Serves the sweep too, which asks for many keys of one brand at a time.
  constraint member_photos_object_key_key unique (brand_id, object_key),
  constraint member_photos_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint member_photos_content_type_known check (content_type in ('image/jpeg', 'image/png')),
  constraint member_photos_digest_form check (digest ~ '^[0-9a-f]{64}$')
);

alter table workspaces.member_photos enable row level security;
alter table workspaces.member_photos force row level security;
create policy tenant on workspaces.member_photos
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on workspaces.member_photos
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- Where the sweep of the stored objects goes on; one row, for all workspaces.
create table workspaces.photo_sweeps (
  only_row  boolean not null default true,
  after_key text    not null default '',
  constraint photo_sweeps_pkey primary key (only_row),
  constraint photo_sweeps_one_row check (only_row)
);
insert into workspaces.photo_sweeps default values;
