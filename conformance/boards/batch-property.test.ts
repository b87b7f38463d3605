import { scaled } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { type Board, BoardWorkspace, type Card } from './board-workspace.ts'

const server = useSharedServer('product')
const seed = Number(process.env.BATCH_SEED ?? Date.now() % 2 ** 31)
const runs = scaled(200, 12)
let workspace: BoardWorkspace
beforeAll(async () => {
  workspace = await BoardWorkspace.open(server)
})

const columns = [
  { name: 'To do', status: 'pending' },
  { name: 'Doing', status: 'in_progress', wip_limit: 4 },
  { name: 'Done', status: 'done' },
]
const cardCount = 6

interface Relation {
  readonly kind: string
  readonly other: number
}
/** An operation on a board whose cards are known by their position. */
type Wish =
  | { op: 'create'; task: object; children: readonly object[]; relations: readonly Relation[] }
  | { op: 'change'; card: number; change: object }
  | {
      op: 'move'
      card: number
      column?: string
      beside?: { side: string; card: number }
      if_version?: number
    }
  | { op: 'archive'; card: number; claim_epoch?: number }

const card = fc.nat(cardCount - 1)
const column = fc.constantFrom('To do', 'doing', 'DONE', 'Nowhere')
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })
const task = fc.record(
  {
    title: fc.constantFrom('One', 'Two', 'Three'),
    column,
    priority: fc.constantFrom('low', 'high'),
    labels: fc.constantFrom(['a'], ['a', 'b', 'a']),
    client_ref: fc.constantFrom('first', 'second'),
    acceptance_criteria: fc.constant('- [x] done\n- [ ] open'),
  },
  { requiredKeys: ['title'] },
)
const change = fc.record(
  {
    title: fc.constantFrom('One', 'Two', 'Three'),
    status: fc.constantFrom('pending', 'in_progress', 'done', 'review'),
    notes: fc.constantFrom('long', 'longer'),
    claim_epoch: fc.constantFrom(1, 2),
    if_version: fc.constantFrom(1, 2),
  },
  { requiredKeys: [] },
)
const relation = fc.record({ kind: fc.constantFrom('blocks', 'blocked_by', 'relates', 'child'), other: card })
const wish: fc.Arbitrary<Wish> = fc.oneof(
  fc.record({
    op: fc.constant('create' as const),
    task,
    children: fc.array(task, { maxLength: 2 }),
    relations: fc.array(relation, { maxLength: 2 }),
  }),
  fc.record({
    op: fc.constant('create' as const),
    task,
    children: fc.constant([]),
    relations: fc.constant([]),
  }),
  fc.record({ op: fc.constant('change' as const), card, change }),
  fc.record({
    op: fc.constant('move' as const),
    card,
    column: maybe(column),
    beside: maybe(fc.record({ side: fc.constantFrom('before_id', 'after_id'), card })),
    if_version: maybe(fc.constantFrom(1, 2)),
  }) as fc.Arbitrary<Wish>,
  fc.record({
    op: fc.constant('archive' as const),
    card,
    claim_epoch: maybe(fc.constantFrom(1, 2)),
  }) as fc.Arbitrary<Wish>,
)

/** A board with cards that block each other, the first of them claimed. */
async function newBoard(): Promise<{ board: Board; cards: Card[] }> {
  const board = await workspace.board({ columns, wip_limits: 'enforced' })
  const cards: Card[] = []
  for (let n = 0; n < cardCount; n += 1)
    cards.push(await workspace.card(board, { title: `card ${n}`, column: n === 5 ? 'Doing' : 'To do' }))
  const [first, second, third] = cards
  await workspace.call('PUT', `/tasks/${first?.id}/relations/blocks/${third?.id}`)
  await workspace.call('PUT', `/tasks/${second?.id}/relations/blocks/${third?.id}`)
  await workspace.call('POST', `/tasks/${first?.id}/claim`, { worker: 'one', lease_seconds: 3600 })
  return { board, cards }
}

interface Outcome {
  status: number
  detail?: unknown
}
const idAt = (cards: readonly Card[], at: number): string => cards[at]?.id ?? ''

function operationOf(wished: Wish, cards: readonly Card[]): object {
  if (wished.op === 'create') {
    const { task, children, relations } = wished
    const related = relations.map(({ kind, other }) => ({ kind, other_id: idAt(cards, other) }))
    return {
      op: 'create',
      task,
      ...(children.length > 0 ? { children } : {}),
      ...(related.length > 0 ? { relations: related } : {}),
    }
  }
  const task_id = idAt(cards, wished.card)
  return wished.op === 'move'
    ? { op: 'move', task_id, ...moveOf(wished, cards) }
    : { ...wished, card: undefined, task_id }
}

const moveOf = ({ column, beside, if_version }: Extract<Wish, { op: 'move' }>, cards: readonly Card[]) => ({
  column,
  if_version,
  ...(beside ? { [beside.side]: idAt(cards, beside.card) } : {}),
})

/** The same by single calls. A card whose children or relations are refused cannot be undone so: those are left out. */
async function oneByOne(board: Board, cards: readonly Card[], wishes: readonly Wish[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const wished of wishes) {
    const answer = await single(board, cards, wished)
    const isRefused = answer.status >= 400
    outcomes.push({ status: answer.status, ...(isRefused ? { detail: answer.body.detail } : {}) })
  }
  return outcomes
}

async function single(board: Board, cards: readonly Card[], wished: Wish) {
  const call = (method: string, path: string, body?: object) =>
    workspace.call<{ detail: unknown; id: string }>(method, path, body)
  if (wished.op === 'create') {
    const made = await call('POST', `/boards/${board.id}/tasks`, wished.task)
    const born: string[] = []
    for (const child of wished.children)
      born.push((await call('POST', `/boards/${board.id}/tasks`, child)).body.id)
    for (const id of born) await call('PUT', `/tasks/${made.body.id}/relations/parent/${id}`)
    for (const { kind, other } of wished.relations)
      await call('PUT', `/tasks/${made.body.id}/relations/${kind}/${idAt(cards, other)}`)
    return made
  }
  const path = `/tasks/${idAt(cards, wished.card)}`
  if (wished.op === 'change') return call('PATCH', path, wished.change)
  if (wished.op === 'move') return call('POST', `${path}/move`, moveOf(wished, cards))
  const { claim_epoch } = wished
  return call('POST', `${path}/archive`, { claim_epoch })
}

/** What a board holds, without ids, times and the side on which `relates` is kept, which differ between two boards. */
async function stateOf({ id }: Board): Promise<unknown> {
  const rows = await server.sql<{ state: unknown }>(
    `with n as (select id, number from boards.cards where board_id = $1)
     select jsonb_build_object(
       'cards', (select jsonb_agg(to_jsonb(c) - array['id', 'board_id', 'column_id', 'parent_id', 'blocked_by', 'claim_id',
           'claim_expires_at', 'claimed_at', 'created_at', 'updated_at', 'moved_at', 'started_at', 'completed_at', 'archived_at',
           'last_commented_at', 'search']
         || jsonb_build_object('column', k.name, 'parent', (select number from n where n.id = c.parent_id),
           'blocked_by', (select jsonb_agg(n.number order by at) from unnest(c.blocked_by) with ordinality as b (id, at)
             join n on n.id = b.id),
           'is_claimed', c.claim_id is not null, 'is_started', c.started_at is not null,
           'is_completed', c.completed_at is not null, 'is_archived', c.archived_at is not null,
           'texts', to_jsonb(t) - array['card_id'])
         order by c.number)
         from boards.cards c join boards.columns k on k.id = c.column_id
         join boards.card_texts t on t.card_id = c.id where c.board_id = $1),
       'columns', (select jsonb_agg(jsonb_build_array(k.name, k.card_count, k.ranks_version) order by k.rank)
         from boards.columns k where k.board_id = $1),
       'board', (select jsonb_build_array(b.card_count, b.next_number) from boards.boards b where b.id = $1),
       'relations', (select jsonb_agg(each order by each)
         from (select case when r.kind = 'relates'
             then jsonb_build_array(least(a.number, b.number), r.kind, greatest(a.number, b.number))
             else jsonb_build_array(a.number, r.kind, b.number) end as each
           from boards.relations r join n a on a.id = r.card_id join n b on b.id = r.other_id) as e),
       'feed', (select jsonb_agg(jsonb_build_array(f.action, n.number, f.actor->'kind',
           f.data - array['by', 'other_id', 'ref', 'expires_at'],
           (select number from n where n.id::text = f.data->>'other_id'),
           (select number from n where n.id::text = f.data->>'by')) order by f.created_at, f.id)
         from boards.activity f left join n on n.id = f.card_id
         where f.board_id = $1 and f.action <> 'board.created')) as state`,
    [id],
  )
  return rows[0]?.state
}

test(`a batch leaves what its operations leave one by one, ${runs} random mixes`, {
  timeout: 600_000,
}, async () => {
  console.log(`seed ${seed}`)
  await fc.assert(
    fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: 25 }), async (wishes) => {
      const [a, b] = [await newBoard(), await newBoard()]
      const { body } = await workspace.call<{ results: Outcome[] }>(
        'POST',
        `/boards/${a.board.id}/tasks:batch`,
        { operations: wishes.map((each) => operationOf(each, a.cards)) },
      )
      const outcomes = body.results.map(({ status, detail }) => ({
        status,
        ...(detail === undefined ? {} : { detail }),
      }))
      // What was refused as a whole is not asked for one by one, where its first half would stay.
      const isHalf = (each: Wish, at: number) =>
        each.op === 'create' &&
        each.children.length + each.relations.length > 0 &&
        (outcomes[at]?.status ?? 0) >= 400
      const asked = wishes.filter((each, at) => !isHalf(each, at))
      const expected = await oneByOne(b.board, b.cards, asked)
      const withoutTimes = (each: unknown) =>
        JSON.parse(
          JSON.stringify(each, (key, value: unknown) => (key === 'expires_at' ? undefined : value)),
        ) as unknown
      expect(withoutTimes(outcomes.filter((_, at) => !isHalf(wishes[at] as Wish, at)))).toEqual(
        withoutTimes(expected),
      )
      expect(await stateOf(a.board)).toEqual(await stateOf(b.board))
    }),
    { seed, numRuns: runs, endOnFailure: true },
  )
})
