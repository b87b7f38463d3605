-- Which desks are on one machine, over all workspaces.
create index desk_keys_by_machine on fleet.desk_keys (machine_digest) where released_at is null;
-- For the sweep of marks that are no longer true.
create index desks_shared on fleet.desks (brand_id, id) where shares_machine;
