-- kind: outside a transaction
-- What the statistics of a board count.
create index concurrently cards_blocked on boards.cards (brand_id, board_id) where open_blockers > 0 and archived_at is null and completed_at is null;
