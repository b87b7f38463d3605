-- kind: outside a transaction
-- A process that died in between begins again: no version that is released yet has made a label.
call boards.fill_labels();
