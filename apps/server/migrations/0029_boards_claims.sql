-- The process that holds a card: two processes of one agent are two.
alter table boards.cards add column claim_process text;

-- A run whose claim ended well, because the card was done, may still report until then.
alter table boards.runs add column lost_after timestamptz;
create index runs_left_open on boards.runs (lost_after) where status = 'running' and lost_after is not null;

-- Almost all runs are over.
create index runs_running on boards.runs (brand_id, card_id) where status = 'running';

-- Ends of leases, the next one first.
create index cards_leases on boards.cards (claim_expires_at, brand_id, board_id, id) where claim_id is not null;

-- The queue of what may be taken up, without what is taken: however many are, it begins with the first free card.
create index cards_free on boards.cards (brand_id, board_id, column_id, rank)
  where archived_at is null and open_blockers = 0 and claim_id is null and status in ('pending', 'in_progress');
drop index boards.cards_ready;
