-- The token with which a token was issued, or got its present secret. It ends with that one at the latest, and is
-- revoked with it. Null where a signed-in person did it.
alter table identity.tokens
  add column issued_by uuid,
  add constraint tokens_issuer_fkey foreign key (brand_id, issued_by)
    references identity.tokens (brand_id, id) on delete set null (issued_by);
create index tokens_issued_by on identity.tokens (brand_id, issued_by);
