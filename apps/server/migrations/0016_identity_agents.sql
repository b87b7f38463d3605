-- A token that speaks for an agent: what is done with it is told as done by the agent, for the token's person.
alter table identity.tokens
  add column agent text,
  add constraint tokens_agent_length check (char_length(agent) between 1 and 100);

-- The name of the agent on the day of the change; null where a person or the platform acted.
alter table platform.audit_entries add column actor_agent text;
