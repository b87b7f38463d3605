-- kind: outside a transaction
-- A process that died in between goes on where it stopped.
call boards.index_activity_of_cards();
