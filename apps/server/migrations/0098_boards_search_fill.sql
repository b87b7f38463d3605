-- kind: outside a transaction
-- A process that died in between fills in what is missing.
call boards.fill_search_texts();
