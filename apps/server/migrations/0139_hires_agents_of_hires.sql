-- The index over all rows takes the place of the one that left out hires without an agent.
alter index hires.hires_of_agent rename to hires_by_agent;
