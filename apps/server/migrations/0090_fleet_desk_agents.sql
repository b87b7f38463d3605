-- The agent whose memories a desk has in its MEMORY.md. A person of the workspace names it, so that a desk reads no others.
alter table fleet.desks add column agent_id text;
