-- What the sweep looks for, over all workspaces. `least` and `coalesce` pass over what is not set.
create index tokens_ended on identity.tokens (least(expires_at, revoked_at));
create index invitations_ended on workspaces.invitations (coalesce(closed_at, expires_at));

-- Every sign-in takes a number, for ever.
alter table identity.sessions alter id type bigint;
alter sequence identity.sessions_id_seq as bigint;
