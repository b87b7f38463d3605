-- What a repository tells besides pull requests: pushes, checks, and where a card goes when its pull request is merged.
create table boards.pushes (
  brand_id    int         not null,
  hook_id     uuid        not null,
  branch      text        not null,
  -- From one commit to the next: they say themselves which comes after which.
  before      text        not null,
  after       text        not null,
  at          timestamptz not null,
  received_at timestamptz not null default platform.clock_now(),
  constraint pushes_pkey primary key (brand_id, hook_id, branch, after, before),
  constraint pushes_hook_fkey foreign key (brand_id, hook_id) references boards.hooks (brand_id, id) on delete cascade
);
create index pushes_by_branch on boards.pushes (brand_id, branch, at desc);
create index pushes_received on boards.pushes (received_at);

-- Check suites of GitHub and pipelines of GitLab, in the order that their hosts give them.
create table boards.check_suites (
  brand_id    int         not null,
  sha         text        not null,
  hook_id     uuid        not null,
  id          bigint      not null,
  state       text        not null,
  changed_at  timestamptz not null,
  state_rank  int         not null,
  digest      text        not null collate "C",
  received_at timestamptz not null default platform.clock_now(),
  constraint check_suites_pkey primary key (brand_id, sha, hook_id, id),
  constraint check_suites_hook_fkey foreign key (brand_id, hook_id) references boards.hooks (brand_id, id)
    on delete cascade,
  constraint check_suites_state_known check (state in ('pending', 'passed', 'failed'))
);
create index check_suites_by_hook on boards.check_suites (brand_id, hook_id);
create index check_suites_received on boards.check_suites (received_at);

-- Commits whose message names a card.
create table boards.card_commits (
  brand_id int         not null,
  card_id  uuid        not null,
  hook_id  uuid        not null,
  sha      text        not null,
  at       timestamptz not null,
  constraint card_commits_pkey primary key (brand_id, card_id, hook_id, sha),
  constraint card_commits_card_fkey foreign key (brand_id, card_id) references boards.cards (brand_id, id)
    on delete cascade,
  constraint card_commits_hook_fkey foreign key (brand_id, hook_id) references boards.hooks (brand_id, id)
    on delete cascade
);
create index card_commits_by_hook on boards.card_commits (brand_id, hook_id);
create index card_commits_newest on boards.card_commits (brand_id, card_id, at desc);

-- Where cards of a board go when their pull request is merged. Without a row they stay.
create table boards.merge_moves (
  brand_id  int  not null,
  board_id  uuid not null,
  column_id uuid not null,
  constraint merge_moves_pkey primary key (brand_id, board_id),
  constraint merge_moves_board_fkey foreign key (brand_id, board_id) references boards.boards (brand_id, id)
    on delete cascade,
  constraint merge_moves_column_fkey foreign key (brand_id, column_id) references boards.columns (brand_id, id)
    on delete cascade
);
create index merge_moves_by_column on boards.merge_moves (brand_id, column_id);

do $$
declare name text;
begin
  foreach name in array array['pushes', 'check_suites', 'card_commits', 'merge_moves'] loop
    execute format('alter table boards.%I enable row level security', name);
    execute format('alter table boards.%I force row level security', name);
    execute format('create policy tenant on boards.%I using (brand_id = (select platform.current_brand()))
      with check (brand_id = (select platform.current_brand()))', name);
    execute format('create policy system on boards.%I using ((select platform.is_system()))
      with check ((select platform.is_system()))', name);
  end loop;
end $$;
