-- kind: outside a transaction
-- Cards whose work is on a branch.
create index concurrently cards_branch on boards.cards (brand_id, branch) where branch is not null and archived_at is null;
