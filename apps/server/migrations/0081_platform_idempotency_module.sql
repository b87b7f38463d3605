-- Whose route it was, so that a module finds its own responses. Null for what was stored before, until it expires.
alter table platform.idempotency_keys add column module text;

-- As the function with two parameters, which the version before this one calls. Planned for these very modules: most
-- responses are those of one or two others.
create function platform.withdraw_answers(brand int, modules text[], word text) returns void
  language plpgsql as $$
begin
  execute 'update platform.idempotency_keys set request = '''', body = null
    where brand_id = $1 and (module = any ($2) or module is null) and position($3 in body) > 0'
    using brand, modules, word;
end
$$;
