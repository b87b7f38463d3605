-- A key that a desk is about to use. The hub lets it in beside the one in use, and it becomes that one when the desk has
-- been heard with it.
alter table fleet.mesh_peers
  add column next_wg_key text,
  add column next_since timestamptz,
  -- Since when the desk has its key, and when it was last told to make another one.
  add column key_since timestamptz not null default platform.now(),
  add column rotation_asked_at timestamptz,
  add constraint mesh_peers_next_form check (next_wg_key ~ '^[A-Za-z0-9_-]{43}$'),
  add constraint mesh_peers_next_fits check ((next_wg_key is null) = (next_since is null));
create index mesh_peers_with_next on fleet.mesh_peers (cell, next_wg_key) where next_wg_key is not null;

-- Every key that a desk has or is about to have, once: whoever named the key of another desk as the next one would lead
-- what the hub has for that desk to itself.
create table fleet.mesh_keys (
  wg_key text not null,
  constraint mesh_keys_pkey primary key (wg_key)
);
select set_config('app.system', 'on', true);
insert into fleet.mesh_keys (wg_key) select wg_key from fleet.mesh_peers;

-- A peer without an address waits; it is where `like_wg_key` is.
alter table fleet.mesh_deltas
  add column like_wg_key text,
  drop constraint mesh_deltas_whole,
  add constraint mesh_deltas_whole check (address is null or wg_key is not null);

create or replace function fleet.tell_hub() returns trigger
  language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from fleet.mesh_keys where wg_key in (old.wg_key, old.next_wg_key)
      and (tg_op = 'DELETE' or wg_key not in (new.wg_key, coalesce(new.next_wg_key, '')));
  end if;
  if tg_op <> 'DELETE' then
    insert into fleet.mesh_keys (wg_key)
    select key from unnest(array[new.wg_key, new.next_wg_key]) as key
    where key is not null
      and (tg_op = 'INSERT' or key not in (old.wg_key, coalesce(old.next_wg_key, '')));
  end if;
  if tg_op = 'INSERT' then
    insert into fleet.mesh_deltas (cell, wg_key, address) values (new.cell, new.wg_key, new.address);
    update fleet.mesh_cells set peers = peers + 1 where cell = new.cell;
  elsif tg_op = 'UPDATE' then
    if new.wg_key <> old.wg_key then
      insert into fleet.mesh_deltas (cell, wg_key, address, old_wg_key)
      values (new.cell, new.wg_key, new.address, old.wg_key);
    end if;
    if new.next_wg_key is distinct from old.next_wg_key then
      insert into fleet.mesh_deltas (cell, old_wg_key)
      select new.cell, old.next_wg_key where old.next_wg_key <> new.wg_key;
      insert into fleet.mesh_deltas (cell, wg_key, like_wg_key)
      select new.cell, new.next_wg_key, new.wg_key where new.next_wg_key is not null;
    end if;
  else
    insert into fleet.mesh_deltas (cell, old_wg_key)
    select old.cell, key from unnest(array[old.wg_key, old.next_wg_key]) as key where key is not null;
    update fleet.mesh_cells set peers = peers - 1 where cell = old.cell;
  end if;
  return null;
end $$;
drop trigger tell_hub_of_key on fleet.mesh_peers;
create trigger tell_hub_of_key after update of wg_key, next_wg_key on fleet.mesh_peers
  for each row execute function fleet.tell_hub();
