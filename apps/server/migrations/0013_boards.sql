create schema boards;

-- A board is also the lock of everything on it: each write locks this row first, so that activity comes in the
-- order of commits and the counts are exact without a second lock.
create table boards.boards (
  brand_id         int         not null,
  id               uuid        not null default gen_random_uuid(),
  key              text        not null,
  name             text        not null,
  board_type       text        not null,
  description      text        not null default '',
  project_id       uuid,
  next_number      int         not null default 1,
  card_count       int         not null default 0,
  last_activity_at timestamptz not null default platform.clock_now(),
  created_at       timestamptz not null default platform.now(),
  updated_at       timestamptz not null default platform.now(),
  archived_at      timestamptz,
  constraint boards_pkey primary key (brand_id, id),
  constraint boards_key_key unique (brand_id, key),
  constraint boards_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint boards_key_form check (key ~ '^[A-Z]{2,10}$'),
  constraint boards_card_count_not_negative check (card_count >= 0)
);
create index boards_open on boards.boards (brand_id, name, id) where archived_at is null;
create index boards_archived on boards.boards (brand_id, name, id) where archived_at is not null;

-- Ids only, of all workspaces. BRD-14 wants a foreign board told from a missing one; this tells that and no more.
create table boards.board_ids (
  id uuid not null,
  constraint board_ids_pkey primary key (id)
);

create table boards.columns (
  brand_id   int         not null,
  board_id   uuid        not null,
  id         uuid        not null default gen_random_uuid(),
  name       text        not null,
  -- Trimmed and folded, as filters match it (BRD-29).
  name_key   text        not null,
  status     text        not null,
  rank       text        not null collate "C",
  wip_limit  int,
  card_count int         not null default 0,
  created_at timestamptz not null default platform.now(),
  constraint columns_pkey primary key (brand_id, id),
  constraint columns_board_id_key unique (brand_id, board_id, id),
  constraint columns_name_key unique (brand_id, board_id, name_key),
  constraint columns_rank_key unique (brand_id, board_id, rank) deferrable initially deferred,
  constraint columns_board_fkey foreign key (brand_id, board_id) references boards.boards (brand_id, id)
    on delete cascade,
  constraint columns_status_known
    check (status in ('pending', 'in_progress', 'blocked', 'review', 'done', 'canceled')),
  constraint columns_name_no_comma check (position(',' in name) = 0),
  constraint columns_wip_positive check (wip_limit > 0),
  constraint columns_card_count_not_negative check (card_count >= 0)
);
create index columns_name on boards.columns (brand_id, name_key, board_id, id);

create table boards.cards (
  brand_id          int         not null,
  board_id          uuid        not null,
  id                uuid        not null default gen_random_uuid(),
  number            int         not null,
  column_id         uuid        not null,
  rank              text        not null collate "C",
  title             text        not null,
  status            text        not null,
  task_type         text        not null,
  priority          text        not null default 'none',
  labels            text[]      not null default '{}',
  estimate          float8,
  description       text        not null default '',
  assignee          jsonb,
  delegate          jsonb,
  reporter          jsonb       not null,
  created_by        jsonb       not null,
  updated_by        jsonb       not null,
  source            text        not null default 'member',
  client_ref        text,
  parent_id         uuid,
  blocked_by        uuid[]      not null default '{}',
  open_blockers     int         not null default 0,
  blocks_count      int         not null default 0,
  children_count    int         not null default 0,
  comments_count    int         not null default 0,
  attachments_count int         not null default 0,
  runs_count        int         not null default 0,
  checklist_total   int         not null default 0,
  checklist_done    int         not null default 0,
  blocked_reason    text,
  repository        text,
  branch            text,
  base_branch       text,
  commit_sha        text,
  pr_number         int,
  pr_url            text,
  pr_state          text,
  merged_at         timestamptz,
  agent_context     jsonb       not null default '{}',
  claim_id          uuid,
  claim_holder      jsonb,
  claim_epoch       int         not null default 0,
  claim_expires_at  timestamptz,
  last_run_id       uuid,
  last_run_status   text,
  last_run_at       timestamptz,
  usage_tokens      bigint      not null default 0,
  usage_cost_micros bigint      not null default 0,
  version           int         not null default 1,
  created_at        timestamptz not null default platform.now(),
  updated_at        timestamptz not null default platform.now(),
  moved_at          timestamptz not null default platform.now(),
  started_at        timestamptz,
  completed_at      timestamptz,
  start_at          timestamptz,
  due_at            timestamptz,
  last_commented_at timestamptz,
  archived_at       timestamptz,
  constraint cards_pkey primary key (brand_id, id),
  constraint cards_number_key unique (brand_id, board_id, number),
  constraint cards_client_ref_key unique (brand_id, board_id, client_ref),
  -- Archived cards keep their place, so that nobody else gets it.
  constraint cards_rank_key unique (brand_id, board_id, column_id, rank),
  constraint cards_board_fkey foreign key (brand_id, board_id) references boards.boards (brand_id, id),
  constraint cards_column_fkey foreign key (brand_id, board_id, column_id)
    references boards.columns (brand_id, board_id, id),
  constraint cards_parent_fkey foreign key (brand_id, parent_id) references boards.cards (brand_id, id),
  constraint cards_status_known
    check (status in ('pending', 'in_progress', 'blocked', 'review', 'done', 'canceled')),
  constraint cards_task_type_known check (task_type in ('coding', 'docs', 'research', 'design', 'test')),
  constraint cards_priority_known check (priority in ('none', 'low', 'medium', 'high', 'urgent'))
);
-- The order of lists. Archived cards keep their place and are not in it.
create index cards_place on boards.cards (brand_id, board_id, column_id, rank, id) where archived_at is null;
-- Cross-board reads take the newest of each column and merge; pages choose their cards from this index alone, also
-- those that ask for a pull request.
create index cards_updated on boards.cards (brand_id, column_id, updated_at desc, id desc) include (pr_number)
  where archived_at is null;
create index cards_parent on boards.cards (brand_id, parent_id);
create statistics boards.cards_board_of_brand (dependencies) on brand_id, board_id, column_id from boards.cards;

-- Long texts, read only where they are asked for.
create table boards.card_texts (
  brand_id            int  not null,
  card_id             uuid not null,
  instructions        text not null default '',
  acceptance_criteria text not null default '',
  plan                text not null default '',
  notes               text not null default '',
  result              text not null default '',
  review              text not null default '',
  log                 text not null default '',
  constraint card_texts_pkey primary key (brand_id, card_id),
  constraint card_texts_card_fkey foreign key (brand_id, card_id) references boards.cards (brand_id, id)
    on delete cascade
);

-- The one source of events. Times rise strictly within a board, because they are given out under its lock.
create table boards.activity (
  brand_id   int         not null,
  board_id   uuid        not null,
  created_at timestamptz not null,
  id         bigint      generated always as identity,
  action     text        not null,
  card_id    uuid,
  actor      jsonb       not null,
  data       jsonb       not null default '{}',
  constraint activity_pkey primary key (brand_id, board_id, created_at, id),
  constraint activity_board_fkey foreign key (brand_id, board_id) references boards.boards (brand_id, id)
    on delete cascade
);


create table boards.comments (
  brand_id   int         not null,
  card_id    uuid        not null,
  id         uuid        not null default gen_random_uuid(),
  parent_id  uuid,
  body       text        not null,
  author     jsonb       not null,
  created_at timestamptz not null default platform.clock_now(),
  edited_at  timestamptz,
  constraint comments_pkey primary key (brand_id, id),
  constraint comments_card_id_key unique (brand_id, card_id, id),
  constraint comments_card_fkey foreign key (brand_id, card_id) references boards.cards (brand_id, id)
    on delete cascade,
  constraint comments_parent_fkey foreign key (brand_id, card_id, parent_id)
    references boards.comments (brand_id, card_id, id) on delete cascade
);
create index comments_card on boards.comments (brand_id, card_id, created_at, id);
create index comments_parent on boards.comments (brand_id, card_id, parent_id);

-- `card_id` blocks, is the parent of, relates to or duplicates `other_id`.
create table boards.relations (
  brand_id   int         not null,
  card_id    uuid        not null,
  kind       text        not null,
  other_id   uuid        not null,
  created_at timestamptz not null default platform.clock_now(),
  constraint relations_pkey primary key (brand_id, card_id, kind, other_id),
  constraint relations_card_fkey foreign key (brand_id, card_id) references boards.cards (brand_id, id)
    on delete cascade,
  constraint relations_other_fkey foreign key (brand_id, other_id) references boards.cards (brand_id, id)
    on delete cascade,
  constraint relations_kind_known check (kind in ('blocks', 'parent', 'relates', 'duplicates')),
  constraint relations_not_itself check (card_id <> other_id)
);
create index relations_other on boards.relations (brand_id, other_id, kind, card_id);

do $$
declare
  name text;
begin
  foreach name in array array['boards', 'columns', 'cards', 'card_texts', 'activity', 'comments', 'relations'] loop
    execute format('alter table boards.%I enable row level security', name);
    execute format('alter table boards.%I force row level security', name);
    execute format('create policy tenant on boards.%I
      using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on boards.%I
      using ((select platform.is_system())) with check ((select platform.is_system()))', name);
  end loop;
end $$;
