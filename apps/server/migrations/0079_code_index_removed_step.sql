-- How late the removing commit came among those since the index before, so that removals of one index have an order.
alter table code_index.nodes add column removed_step int not null default 0;
alter table code_index.staged_nodes add column removed_step int not null default 0;

-- 3 reparented: where it was, in another parent. Rows that are there kept a narrower rule, so nothing has to be read.
alter table code_index.node_changes drop constraint node_changes_change_known;
alter table code_index.node_changes add constraint node_changes_change_known check (change in (0, 1, 2, 3)) not valid;
