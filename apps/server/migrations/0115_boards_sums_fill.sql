-- kind: outside a transaction
-- A process that died in between begins again: each board is counted anew under its lock.
call boards.fill_sums();
