-- `[{"anchor": …, "similarity": …}]` for a symbol that is gone: new ones with a similar body.
alter table lessons.anchors add column suggestions jsonb not null default '[]';
