-- Whole, so that the foreign key to agents is served as well.
drop index memory.merges_of_tag;
create index merges_of_tag on memory.merges (brand_id, agent_id, tag, pattern_id);
