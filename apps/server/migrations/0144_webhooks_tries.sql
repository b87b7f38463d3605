-- The last ten attempts of a delivery: when, what came back and how long it took. Never what was answered: that is not ours to
-- keep. Deliveries from before have none.
alter table webhooks.deliveries add column tries jsonb;
