-- Names of people who were erased. Their mail must not reach somebody else, so nobody gets one before its time; only
-- its digest is kept, which tells whether a name is it and does not list any.
create table mailboxes.withheld_names (
  digest         bytea       not null,
  withheld_until timestamptz not null,
  constraint withheld_names_pkey primary key (digest)
);
create index withheld_names_until on mailboxes.withheld_names (withheld_until);
