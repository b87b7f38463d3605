-- kind: outside a transaction
-- What the statistics of a board count.
create index concurrently cards_done on boards.cards (brand_id, board_id, completed_at) where status = 'done' and archived_at is null;
