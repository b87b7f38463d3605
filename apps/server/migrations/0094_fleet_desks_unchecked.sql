-- kind: outside a transaction
-- Desks that wait for their first check since they have joined, were resumed or repointed: few at any time.
create index concurrently desks_unchecked on fleet.desks (brand_id, id)
  where checked_at is null and sidecar_url is not null and registered_at is not null and state <> 'suspended';
