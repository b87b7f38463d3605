import { clientRefTaken } from '@crewhall/contracts/boards/refusals.ts'
import type { BrandTx } from '#platform/ctx/ctx.ts'
import { violates } from '#platform/db/pg-errors.ts'
import { brandStatement, type Named, sql } from '#platform/db/statement.ts'
import type { CardValues } from './card-values.rules.ts'
import { type FullRow, fullFields, type Texts, texts, written } from './cards.store.ts'

const made = [
  'brand_id',
  'board_id',
  'id',
  'number',
  'client_ref',
  'reporter',
  'created_by',
  'created_at',
  'items_total',
  ...written,
] as const
export type NewCard = CardValues &
  Texts &
  Readonly<
    Record<
      'board_id' | 'number' | 'client_ref' | 'reporter' | 'created_by' | 'created_at' | 'items_total',
      unknown
    >
  > & {
    readonly id: string
    readonly column_name: string
  }
/** Types of what is not text; JSON is sent as text, as in updates. */
const types: Readonly<Record<string, string>> = {
  board_id: 'uuid',
  id: 'uuid',
  column_id: 'uuid',
  number: 'int',
  labels: 'text[]',
  estimate: 'float8',
  pr_number: 'int',
  checklist_total: 'int',
  checklist_done: 'int',
  items_total: 'int',
  merged_at: 'timestamptz',
  start_at: 'timestamptz',
  due_at: 'timestamptz',
  started_at: 'timestamptz',
  completed_at: 'timestamptz',
  moved_at: 'timestamptz',
  updated_at: 'timestamptz',
  created_at: 'timestamptz',
}
const asJson = new Set<string>([
  'assignee',
  'delegate',
  'agent_context',
  'updated_by',
  'reporter',
  'created_by',
])
const sent = [...made.slice(1), ...texts, 'column_name'] as const
const typed = sent.map((name) => `${name} ${types[name] ?? 'text'}`).join(', ')

type Sent = { readonly same: string; readonly cards: string }

/** What all of them have is sent and read once: of a hundred cards, most of it. */
const given = (p: Named<Sent>) => sql`r as materialized (
     select ${sent.map((name) => `coalesce(o.${name}, a.${name}) as ${name}`).join(', ')}
     from json_to_record(${p.same}::json) as a (${typed}), json_to_recordset(${p.cards}::json) as o (${typed})
   )`
const intoCards = (p: Named<{ brand_id: number }>) => sql`insert into boards.cards (${made.join(', ')})
     select ${p.brand_id}::int, ${made
       .slice(1)
       .map((name) => (asJson.has(name) ? `${name}::jsonb` : name))
       .join(', ')} from r order by number`
const intoTexts = (p: Named<{ brand_id: number }>) =>
  sql`insert into boards.card_texts (brand_id, card_id, ${texts.join(', ')})
     select ${p.brand_id}::int, id, ${texts.join(', ')} from r`

// Both rows of each at once, and back as they are read later.
const addAndRead = brandStatement<Sent, FullRow>(
  (p) => sql`with ${given(p)}, c as (${intoCards(p)} returning *), t as (${intoTexts(p)} returning *)
   select ${fullFields} from c join t on t.card_id = c.id
   join (select id, column_name as name from r) k on k.id = c.id order by c.number`,
)
const add = brandStatement<Sent, unknown>(
  (p) => sql`with ${given(p)}, c as (${intoCards(p)}) ${intoTexts(p)}`,
)

/** Several of one board, in the order of their numbers, and back as they are read later. */
export const insertCards = (ctx: BrandTx, cards: readonly NewCard[]): Promise<FullRow[]> =>
  unlessTaken(ctx.db.all(addAndRead, sentOf(cards)))
/** The same for a caller who knows all that will be said of them. */
export const insertCardsUnread = async (ctx: BrandTx, cards: readonly NewCard[]): Promise<void> => {
  await unlessTaken(ctx.db.run(add, sentOf(cards)))
}

async function unlessTaken<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing
  } catch (error) {
    if (violates(error, 'cards_client_ref_key')) throw clientRefTaken()
    throw error
  }
}

function sentOf(cards: readonly NewCard[]): Sent {
  const [first] = cards
  const isSame = (name: keyof NewCard) => cards.every((card) => card[name] === first?.[name])
  const fields = sent as readonly (keyof NewCard)[]
  // A row without a field would be none.
  const own = fields.filter((name) => name === 'id' || !isSame(name))
  const all = fields.filter((name) => !own.includes(name))
  const rows = cards.map((card) => pick(card, own))
  return { same: JSON.stringify(first ? pick(first, all) : {}), cards: JSON.stringify(rows) }
}

const pick = (card: NewCard, names: readonly (keyof NewCard)[]) =>
  Object.fromEntries(names.map((name) => [name, card[name]]))
