-- Letters arrive in any order, so the link of each of the last few counts.
alter table identity.email_proofs add column older_hashes text[] not null default '{}';
