-- What agents do on cards. A card may be worked on many times; each time is a run that is kept.
create table boards.runs (
  brand_id          int         not null,
  card_id           uuid        not null,
  id                uuid        not null default gen_random_uuid(),
  number            int         not null,
  status            text        not null default 'running',
  reason            text,
  summary           text        not null default '',
  claim_epoch       int,
  started_by        jsonb       not null,
  usage_tokens      bigint      not null default 0,
  usage_cost_micros bigint      not null default 0,
  started_at        timestamptz not null default platform.clock_now(),
  finished_at       timestamptz,
  constraint runs_pkey primary key (brand_id, id),
  constraint runs_number_key unique (brand_id, card_id, number),
  constraint runs_card_fkey foreign key (brand_id, card_id) references boards.cards (brand_id, id)
    on delete cascade,
  constraint runs_status_known check (status in ('running', 'succeeded', 'failed', 'canceled', 'lost')),
  constraint runs_finished check ((status = 'running') = (finished_at is null))
);

alter table boards.runs enable row level security;
alter table boards.runs force row level security;
create policy tenant on boards.runs
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on boards.runs
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- The queue of what may be taken up. Whether a lease still holds is a matter of the clock, so it is not in here.
create index cards_ready on boards.cards (brand_id, board_id, column_id, rank)
  where archived_at is null and open_blockers = 0 and status in ('pending', 'in_progress');
