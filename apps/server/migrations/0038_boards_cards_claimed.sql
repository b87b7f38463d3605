-- kind: outside a transaction
-- What the statistics of a board count.
create index concurrently cards_claimed on boards.cards (brand_id, board_id, claim_expires_at) where claim_id is not null and archived_at is null;
