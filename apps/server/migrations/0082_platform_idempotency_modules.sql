-- kind: outside a transaction
-- What is purged is withdrawn from the stored responses of a few modules, not looked for in all of the workspace.
create index concurrently idempotency_keys_module on platform.idempotency_keys (brand_id, module);
