-- Of the commit that removed the node, among those of its version: of several that died in one index, the last one is the
-- reason why a lesson is stale.
alter table lessons.anchors add column removed_step int not null default 0;
