-- Since when a desk reports and is not heard by the hub; null while it is, and where there is no private network.
alter table fleet.desks add column link_lost_at timestamptz;
