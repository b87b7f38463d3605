import type { MatrixPart } from '../part.ts'

export const platformPart: MatrixPart = {
  tenant_rows: `
    insert into platform.audit_entries (brand_id, action, target, actor_kind)
    select id, 'thing.changed', 'thing:1', 'system' from identity.brands;
    insert into platform.audit_marks (brand_id, first_at, last_at) select id, now(), now() from identity.brands;
    insert into platform.workspace_events (brand_id, created_at, type, subject_kind, subject_id, actor_kind, data)
    select id, now(), 'member.added', 'member', '1', 'system', '{}' from identity.brands;
    insert into platform.event_marks (brand_id, last_at) select id, now() from identity.brands;
    insert into platform.idempotency_keys (brand_id, digest, request, status, headers, body)
    select id, decode('00', 'hex'), decode('00', 'hex'), 200, '{}', '{}' from identity.brands`,
  empty_tables: ['platform.idempotency_keys'],
}
