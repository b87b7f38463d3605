-- Who joined a card, or left it. Its assignee and whoever requested it watch it without a row, so that a new card costs
-- nothing more; a row that says otherwise wins.
create table boards.watchers (
  brand_id    int         not null,
  card_id     uuid        not null,
  person_id   int         not null,
  is_watching boolean     not null,
  changed_at  timestamptz not null default platform.clock_now(),
  constraint watchers_pkey primary key (brand_id, card_id, person_id),
  constraint watchers_card_fkey foreign key (brand_id, card_id) references boards.cards (brand_id, id) on delete cascade
);
-- Of one person over all workspaces, for their erasure.
create index watchers_person on boards.watchers (person_id);
alter table boards.watchers enable row level security;
alter table boards.watchers force row level security;
create policy tenant on boards.watchers
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on boards.watchers
  using ((select platform.is_system())) with check ((select platform.is_system()));
