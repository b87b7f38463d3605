-- Columns instead of expressions: `->>` is not leakproof, so under row-level security no index of it is used.
alter table memory.proposals add column conversation_id uuid, add column source_id uuid;
select set_config('app.system', 'on', true);
update memory.proposals set conversation_id = (origin ->> 'conversation_id')::uuid, source_id = (origin ->> 'source_id')::uuid
where origin is not null;
select set_config('app.system', '', true);
drop index memory.proposals_of_conversation;
drop index memory.proposals_of_source;
create index proposals_of_conversation on memory.proposals (brand_id, conversation_id) where state = 'open';
create index proposals_of_source on memory.proposals (brand_id, source_id) where state = 'open';
