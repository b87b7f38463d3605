-- Files of cards that are brought to a board. What was read from a file lies in rows until each has become a card; the file
-- itself is not kept.
create table boards.imports (
  brand_id      int         not null,
  board_id      uuid        not null,
  id            uuid        not null default gen_random_uuid(),
  source        text        not null,
  file_name     text        not null,
  state         text        not null default 'reading',
  person_id     int,
  -- Who acts while it runs: null before and afterwards, so that no name outlives its person here.
  actor         jsonb,
  rows_total    int         not null default 0,
  rows_done     int         not null default 0,
  cards_made    int         not null default 0,
  rows_skipped  int         not null default 0,
  rows_ignored  int         not null default 0,
  problem_count int         not null default 0,
  problems      jsonb       not null default '[]',
  -- Each a list of names with their number of rows and what they mean.
  people        jsonb       not null default '[]',
  states        jsonb       not null default '[]',
  for_agents    boolean     not null default false,
  is_forced     boolean     not null default false,
  cards_removed int         not null default 0,
  kept_count    int         not null default 0,
  kept          uuid[]      not null default '{}',
  created_at    timestamptz not null default platform.now(),
  updated_at    timestamptz not null default platform.now(),
  started_at    timestamptz,
  finished_at   timestamptz,
  constraint imports_pkey primary key (brand_id, id),
  constraint imports_board_fkey foreign key (brand_id, board_id) references boards.boards (brand_id, id)
    on delete cascade,
  constraint imports_source_known check (source in ('csv', 'github', 'linear')),
  constraint imports_state_known
    check (state in ('reading', 'draft', 'running', 'done', 'failed', 'undoing', 'undone'))
);
create index imports_of_board on boards.imports (brand_id, board_id, created_at desc, id);
-- One at a time on a board.
create unique index imports_running on boards.imports (brand_id, board_id) where state in ('running', 'undoing');
-- What waits or runs: counted in a workspace, and over all of them found by the sweep.
create index imports_open on boards.imports (brand_id, updated_at)
  where state in ('reading', 'draft', 'running', 'undoing');
create index imports_old on boards.imports (updated_at);
-- Of one person over all workspaces, for their erasure.
create index imports_person on boards.imports (person_id);

create table boards.import_rows (
  brand_id   int   not null,
  import_id  uuid  not null,
  place      int   not null,
  client_ref text  not null,
  card       jsonb not null,
  constraint import_rows_pkey primary key (brand_id, import_id, place),
  constraint import_rows_import_fkey foreign key (brand_id, import_id) references boards.imports (brand_id, id)
    on delete cascade
);

-- Which cards an import has made, for its undo.
create table boards.import_cards (
  brand_id   int  not null,
  import_id  uuid not null,
  card_id    uuid not null,
  place      int  not null,
  -- Of the file, for what is said about it.
  file_row   int  not null,
  -- Of a parent that is still to be related.
  parent_ref text,
  constraint import_cards_pkey primary key (brand_id, import_id, place),
  constraint import_cards_import_fkey foreign key (brand_id, import_id) references boards.imports (brand_id, id)
    on delete cascade,
  constraint import_cards_card_fkey foreign key (brand_id, card_id) references boards.cards (brand_id, id)
    on delete cascade
);
create index import_cards_card on boards.import_cards (brand_id, card_id);
create index import_cards_parents on boards.import_cards (brand_id, import_id, place) where parent_ref is not null;

alter table boards.imports enable row level security;
alter table boards.imports force row level security;
create policy tenant on boards.imports
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on boards.imports
  using ((select platform.is_system())) with check ((select platform.is_system()));
alter table boards.import_rows enable row level security;
alter table boards.import_rows force row level security;
create policy tenant on boards.import_rows
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on boards.import_rows
  using ((select platform.is_system())) with check ((select platform.is_system()));
alter table boards.import_cards enable row level security;
alter table boards.import_cards force row level security;
create policy tenant on boards.import_cards
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on boards.import_cards
  using ((select platform.is_system())) with check ((select platform.is_system()));
