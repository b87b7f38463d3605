-- kind: outside a transaction
-- What was done in a workspace, in the order of time: readers continue after the last card they have seen.
create index concurrently cards_finished on boards.cards (brand_id, completed_at, id) include (board_id) where status = 'done' and archived_at is null;
