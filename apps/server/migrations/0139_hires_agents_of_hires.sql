-- A foreign key needs an index over all rows, also those without an agent. There are none yet.
drop index hires.hires_by_agent;
create index hires_by_agent on hires.hires (brand_id, agent_id);
