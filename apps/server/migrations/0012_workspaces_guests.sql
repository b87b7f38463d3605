-- What the removal of a guest set out to remove. It is kept until everything is gone: when a store that is not
-- in this database fails half-way, the next try finishes, and still knows what the first one took away.
create table workspaces.guest_removals (
  brand_id    int         not null,
  person_id   int         not null,
  kind        text        not null,
  resource_id uuid        not null,
  noted_at    timestamptz not null default platform.now(),
  constraint guest_removals_pkey primary key (brand_id, person_id, kind, resource_id),
  constraint guest_removals_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint guest_removals_kind_known check (kind in ('board', 'docs'))
);

alter table workspaces.guest_removals enable row level security;
alter table workspaces.guest_removals force row level security;
create policy tenant on workspaces.guest_removals
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on workspaces.guest_removals
  using ((select platform.is_system())) with check ((select platform.is_system()));
