import type { TestDatabase } from '@crewhall/testkit/databases.ts'
import { openClient } from '@crewhall/testkit/matrix/server.ts'

/** Rows of two brands in every tenant table, past the walls. */
export async function fillTwoBrands(database: TestDatabase): Promise<{ one: number; other: number }> {
  const admin = await openClient(database, 'superuser')
  try {
    const { rows } = await admin.query<{ brand_id: number }>(`
      with person as (
        insert into identity.people (email, full_name) values ('a@example.test', 'A'), ('b@example.test', 'B') returning id),
      brand as (
        insert into identity.brands (name, plan_key, scope_ceiling) values ('A', 'free', '{}'), ('B', 'free', '{}') returning id)
      insert into identity.memberships (brand_id, person_id, role)
      select brand.id, person.id, 'admin' from brand, person returning brand_id`)
    await admin.query(`
      insert into identity.tokens (brand_id, id, person_id, name, last_four, token_hash, scopes, expires_at)
      select brand_id, gen_random_uuid(), person_id, 'T', 'abcd', uuid_send(gen_random_uuid()), '{}', now() + interval '1 day'
      from identity.memberships`)
    await admin.query(
      `insert into identity.brand_erasures (brand_id, due_at) select id, now() from identity.brands`,
    )
    await admin.query(`
      insert into platform.audit_entries (brand_id, action, target, actor_kind)
      select id, 'thing.changed', 'thing:1', 'system' from identity.brands;
      insert into platform.audit_marks (brand_id, first_at, last_at) select id, now(), now() from identity.brands;
      insert into platform.workspace_events (brand_id, created_at, type, subject_kind, subject_id, actor_kind, data)
      select id, now(), 'member.added', 'member', '1', 'system', '{}' from identity.brands;
      insert into platform.event_marks (brand_id, last_at) select id, now() from identity.brands`)
    await admin.query(`
      insert into profiles.overrides (brand_id, profile_key, effort) select id, 'claude.hard', 'low' from identity.brands;
      insert into profiles.closed_coders (brand_id, coder) select id, 'pi' from identity.brands;
      insert into profiles.changes (brand_id, profile_key, field, new_value, actor_user_id, actor_role)
      select id, 'claude.hard', 'effort', 'low', 1, 'brand_admin' from identity.brands`)
    await admin.query(`
      insert into workspaces.feature_switches (brand_id, key, is_on, changed_by)
      select id, 'feed', false, 1 from identity.brands;
      insert into workspaces.preferences (brand_id) select id from identity.brands;
      insert into workspaces.member_profiles (brand_id, person_id, position)
      select brand_id, person_id, 'Designer' from identity.memberships;
      insert into workspaces.invitations (brand_id, email, role, expires_at)
      select id, 'c@example.test', 'member', now() + interval '1 day' from identity.brands`)
    await admin.query(`
      insert into workspaces.member_photos (brand_id, person_id, object_key, content_type, digest)
      select brand_id, person_id, 'member-photos/' || brand_id || '/' || gen_random_uuid(), 'image/png', repeat('0', 64)
      from identity.memberships`)
    await admin.query(`
      insert into docs_spaces.spaces (brand_id, id, name) select id, gen_random_uuid(), 'Space' from identity.brands;
      insert into docs_spaces.pages (brand_id, space_id, id, title, body, author_id, author_name)
      select brand_id, id, gen_random_uuid(), 'Page', '', 1, 'A' from docs_spaces.spaces;
      insert into docs_spaces.guests (brand_id, space_id, person_id, role)
      select brand_id, id, 1, 'viewer' from docs_spaces.spaces;
      insert into workspaces.guest_removals (brand_id, person_id, kind, resource_id)
      select brand_id, 1, 'docs', id from docs_spaces.spaces`)
    await admin.query(`
      insert into boards.boards (brand_id, id, key, name, board_type)
      select id, gen_random_uuid(), 'CORE', 'Board', 'kanban' from identity.brands;
      insert into boards.columns (brand_id, board_id, name, name_key, status, rank)
      select brand_id, id, 'To do', 'to do', 'pending', 'a0' from boards.boards;
      insert into boards.cards (brand_id, board_id, number, column_id, rank, title, status, task_type, reporter, created_by, updated_by)
      select k.brand_id, k.board_id, n, k.id, 'a' || n, 'Card', 'pending', 'coding', '{}', '{}', '{}'
      from boards.columns k, generate_series(1, 2) as n;
      insert into boards.card_texts (brand_id, card_id) select brand_id, id from boards.cards;
      insert into boards.comments (brand_id, card_id, body, author) select brand_id, id, 'Text', '{}' from boards.cards;
      insert into boards.relations (brand_id, card_id, kind, other_id)
      select a.brand_id, a.id, 'blocks', b.id from boards.cards a join boards.cards b using (brand_id)
      where a.number = 1 and b.number = 2;
      insert into boards.runs (brand_id, card_id, number, started_by) select brand_id, id, 1, '{}' from boards.cards;
      insert into boards.guests (brand_id, board_id, person_id, role)
      select brand_id, id, 1, 'viewer' from boards.boards;
      insert into boards.activity (brand_id, board_id, created_at, action, actor)
      select brand_id, id, now(), 'board.created', '{}' from boards.boards`)
    await admin.query(`
      insert into webhooks.endpoints (brand_id, id, url, events, secret)
      select id, gen_random_uuid(), 'https://example.com/', '{*}', decode('00', 'hex') from identity.brands;
      insert into webhooks.deliveries (brand_id, webhook_id, event, payload)
      select brand_id, id, 'board.created', '{}' from webhooks.endpoints;
      insert into webhooks.arrivals (brand_id, webhook_id) select brand_id, id from webhooks.endpoints`)
    await admin.query(`
      insert into platform.kept_answers (brand_id, digest, request, status, headers, body)
      select id, decode('00', 'hex'), decode('00', 'hex'), 200, '{}', '{}' from identity.brands`)
    const [one = 0, other = 0] = [...new Set(rows.map(({ brand_id }) => brand_id))]
    return { one, other }
  } finally {
    await admin.end()
  }
}
