-- Named as the field names them: idempotency keys, each with the answer stored for it.
alter table platform.kept_answers rename to idempotency_keys;
alter table platform.idempotency_keys rename constraint kept_answers_pkey to idempotency_keys_pkey;
alter table platform.idempotency_keys rename constraint kept_answers_brand_fkey to idempotency_keys_brand_fkey;
alter table platform.idempotency_keys
  rename constraint kept_answers_answered_or_claimed to idempotency_keys_answered_or_claimed;
alter index platform.kept_answers_created rename to idempotency_keys_created;
