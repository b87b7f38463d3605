-- kind: outside a transaction
-- What is due in a workspace before or after a time.
create index concurrently cards_due on boards.cards (brand_id, due_at, id) where due_at is not null and archived_at is null;
