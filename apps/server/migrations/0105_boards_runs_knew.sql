-- What a run was given: ids and versions, no texts. Null for runs that were started without a context.
alter table boards.runs add column knew jsonb;
