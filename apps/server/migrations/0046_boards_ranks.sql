-- Raised when cards of a column get new ranks in the same order, so that a walk over them can find its place again.
alter table boards.columns add column ranks_version int not null default 0;
