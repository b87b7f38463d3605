-- kind: outside a transaction
-- What is worked on, over all boards of a workspace, the longest first.
create index concurrently cards_working on boards.cards (brand_id, claimed_at, id) where claim_id is not null and archived_at is null;
