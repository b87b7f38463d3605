alter table fleet.desks
  -- The repository that a desk works on.
  add column project_id uuid,
  -- The hired agent whose credential and files the desk keeps. A person may give the desk the memories of another agent.
  add column hired_agent_id text,
  -- Rises whenever the desk has to fetch them anew, or to give them up.
  add column hire_revision int not null default 0;
