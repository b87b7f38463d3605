import { randomUUID } from 'node:crypto'
import type { Scene } from '../part.ts'

/** Its secret opens nowhere. */
export async function addHook({ admin, brand_id, mark }: Scene, kind: 'kept' | 'fresh'): Promise<string> {
  const id = randomUUID()
  const url = `https://github.com/${kind}/${mark}`.toLowerCase()
  await admin.query('delete from boards.hooks where brand_id = $1 and url = $2', [brand_id, url])
  await admin.query(
    `insert into boards.hooks (brand_id, id, service, url, secret) values ($1, $2, 'github', $3, '\\x00')`,
    [brand_id, id, url],
  )
  return id
}

/** What hosts have told of a card, and the column of merged ones. */
export async function addTold(
  { admin, brand_id }: Scene,
  rows: { readonly hook: string; readonly board: string; readonly column: string; readonly card: string },
): Promise<void> {
  const { hook, board, column, card } = rows
  const add = (table: string, columns: string, values: string, more: readonly string[]) =>
    admin.query(`insert into boards.${table} (brand_id, ${columns}) values ($1, ${values})`, [
      brand_id,
      ...more,
    ])
  const sha = 'a'.repeat(40)
  await add('hook_deliveries', 'hook_id, id, event, result', `$2, '1', 'ping', 'pong'`, [hook])
  await add(
    'pull_requests',
    'hook_id, number, url, state, branch, is_fork, head_sha, opened_at, refs, changed_at, state_rank, digest',
    `$2, 1, 'https://github.com/a/b/pull/1', 'open', 'main', false, $3, now(), '{}', now(), 1, ''`,
    [hook, sha],
  )
  await add('card_pulls', 'card_id, hook_id, number', '$2, $3, 1', [card, hook])
  await add('pushes', 'hook_id, branch, before, after, at', `$2, 'work', $3, $3, now()`, [hook, sha])
  await add(
    'check_suites',
    'sha, hook_id, id, state, changed_at, state_rank, digest',
    `$2, $3, 1, 'passed', now(), 1, ''`,
    [sha, hook],
  )
  await add('card_commits', 'card_id, hook_id, sha, at', '$2, $3, $4, now()', [card, hook, sha])
  await add('merge_moves', 'board_id, column_id', '$2, $3', [board, column])
  await add('card_deliveries', 'card_id', '$2', [card])
}

/** A hook in every workspace, and all that hangs on it; cards and columns are there. */
export const hookRows = `insert into boards.hooks (brand_id, service, url, secret) select id, 'github', 'https://github.com/a/b', '\\x00' from identity.brands;
    insert into boards.hook_deliveries (brand_id, hook_id, id, event, result) select brand_id, id, '1', 'ping', 'pong' from boards.hooks;
    insert into boards.pull_requests (brand_id, hook_id, number, url, state, branch, is_fork, head_sha, opened_at, refs, changed_at, state_rank, digest)
    select brand_id, id, 1, url || '/pull/1', 'open', 'main', false, repeat('a', 40), now(), '{}', now(), 1, '' from boards.hooks;
    insert into boards.card_pulls (brand_id, card_id, hook_id, number)
    select c.brand_id, c.id, h.id, 1 from boards.cards c join boards.hooks h using (brand_id);
    insert into boards.pushes (brand_id, hook_id, branch, before, after, at)
    select brand_id, id, 'work', repeat('a', 40), repeat('b', 40), now() from boards.hooks;
    insert into boards.check_suites (brand_id, sha, hook_id, id, state, changed_at, state_rank, digest)
    select brand_id, repeat('b', 40), id, 1, 'passed', now(), 1, '' from boards.hooks;
    insert into boards.card_commits (brand_id, card_id, hook_id, sha, at)
    select c.brand_id, c.id, h.id, repeat('b', 40), now() from boards.cards c join boards.hooks h using (brand_id);
    insert into boards.merge_moves (brand_id, board_id, column_id) select brand_id, board_id, id from boards.columns;
    insert into boards.card_deliveries (brand_id, card_id) select brand_id, id from boards.cards;`
