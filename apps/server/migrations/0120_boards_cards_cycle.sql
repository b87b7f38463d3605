-- kind: outside a transaction
-- The cards of a cycle.
create index concurrently cards_cycle on boards.cards (brand_id, cycle_id, id) where cycle_id is not null;
