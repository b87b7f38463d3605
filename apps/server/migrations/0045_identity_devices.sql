-- Where a session began, roughly: program and system, and a network of 256 addresses (IPv4) or a /48 (IPv6). They go
-- with the session. The day of its last use, as tokens have it.
alter table identity.sessions
  add column client text,
  add column network text,
  add column last_used_on date;

-- When somebody signed in with the password for the first time: nobody is warned of that one.
alter table identity.passwords add column first_used_at timestamptz;

-- What a person has signed in with lately, to tell a new device from a known one. A digest of person, program and
-- network, so that the table tells nothing by itself.
create table identity.devices (
  person_id int         not null,
  digest    text        not null,
  seen_at   timestamptz not null default platform.now(),
  constraint devices_pkey primary key (person_id, digest),
  constraint devices_person_fkey foreign key (person_id) references identity.people (id) on delete cascade
);
create index devices_seen_at on identity.devices (seen_at);
