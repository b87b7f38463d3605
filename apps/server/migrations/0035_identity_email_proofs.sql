-- Links that prove an address. Only the digest is kept, and one at a time for a person.
create table identity.email_proofs (
  person_id  int         not null,
  token_hash text        not null,
  expires_at timestamptz not null,
  constraint email_proofs_pkey primary key (person_id),
  constraint email_proofs_person_fkey foreign key (person_id) references identity.people (id) on delete cascade
);
