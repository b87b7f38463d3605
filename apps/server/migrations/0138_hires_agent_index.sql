-- Foreign keys have an index of all their rows.
create index hires_of_agent on hires.hires (brand_id, agent_id);
drop index hires.hires_by_agent;
