import { randomUUID } from 'node:crypto'
import { type Actor, type FullCard, longFieldNames } from '@crewhall/contracts/boards/card-fields.ts'
import type { NewCard, WrittenCard } from '@crewhall/contracts/boards/cards.ts'
import { generateKeyBetween } from 'fractional-indexing'
import type { BrandCtx, BrandTx, JointWrite } from '#platform/ctx/ctx.ts'
import { notClosed } from '../boards/boards.service.ts'
import * as boardStore from '../boards/boards.store.ts'
import * as columnStore from '../boards/columns.store.ts'
import { receiptFields, valuesAfter } from '../card-data/card-values.rules.ts'
import { presentFull } from '../card-data/cards.present.ts'
import { deriveColumn, deriveSource, deriveTimes, laterBy } from '../card-data/cards.rules.ts'
import type { FullRow } from '../card-data/cards.store.ts'
import * as store from '../card-data/new-cards.store.ts'
import { insertItems } from '../checklists/checklists.store.ts'
import { newMentions, peopleOf } from '../mentions/mentions.rules.ts'
import { resolveMentions } from '../mentions/mentions.service.ts'
import { deriveWanted, wantedBy } from '../telling/readers.rules.ts'
import { tellReaders } from '../telling/tell-readers.service.ts'
import { joinCards } from '../watchers/watch.service.ts'
import type { Told } from '../writes/activity.store.ts'
import { boardActorOf } from '../writes/board-actor.ts'
import { recordStamped } from '../writes/record-activity.service.ts'
import { deriveTold } from '../writes/told-changes.rules.ts'
import { type Added, isOverLimit, settled } from './cards.service.ts'
import { type Workers, workersOf } from './workers.service.ts'

interface Creation {
  readonly order: NewCard
  readonly workers: Workers
  readonly by: Actor
  /** Whose words they are, if not those of the actor. */
  readonly source?: FullCard['source']
}

/** Cards requested while others of the board are being created are batched: one lock and one commit. */
export async function addCard(ctx: BrandCtx, board_id: string, order: NewCard): Promise<Added> {
  const workers = await workersOf(ctx, order)
  return ctx.jointly(creating, board_id, { order, workers, by: boardActorOf(ctx.actor) })
}

/** Several in one transaction, as if one by one. If one of them is refused, none is made. */
export async function addCardsInOrder(
  ctx: BrandTx,
  board_id: string,
  orders: readonly NewCard[],
  source?: FullCard['source'],
): Promise<readonly WrittenCard[]> {
  const by = boardActorOf(ctx.actor)
  const creations: Creation[] = []
  for (const order of orders)
    creations.push({ order, workers: await workersOf(ctx, order), by, ...(source && { source }) })
  const { made, send } = await prepareCards(ctx, board_id, creations)
  await send(store.insertCardsUnread(ctx, cardsOf(made)))
  return made.map(({ card, entry, is_over_limit }) => ({
    task_id: card.id,
    ref: entry.data.ref,
    version: 1,
    column: card.column_name,
    over_limit: is_over_limit,
  }))
}

const creating: JointWrite<Creation, Added> = {
  name: 'boards.add-card',
  weigh: ({ order }) =>
    [...longFieldNames, 'description' as const].reduce(
      (sum, field) => sum + (order[field]?.length ?? 0),
      JSON.stringify([order.agent_context, order.checklist]).length,
    ),
  run: addCards,
}

/** Two round trips with the lock held, the commit among them. */
async function addCards(
  ctx: BrandTx,
  board_id: string,
  creations: readonly Creation[],
): Promise<{ sent: Promise<readonly Added[]> }> {
  const { board, made, send } = await prepareCards(ctx, board_id, creations)
  const sent = send(store.insertCards(ctx, cardsOf(made)))
  return {
    sent: sent.then((rows) =>
      made.map(({ is_over_limit }, at) => ({
        card: presentFull(board, rows[at] as FullRow),
        is_over_limit,
      })),
    ),
  }
}

const cardsOf = (made: readonly { readonly card: store.NewCard }[]) => made.map(({ card }) => card)

/** Takes the numbers, which locks, and decides what is written. */
async function prepareCards(ctx: BrandTx, board_id: string, creations: readonly Creation[]) {
  const [taken, found] = await ctx.db.inOrder([
    boardStore.updateNextNumber(ctx, board_id, creations.length),
    columnStore.listColumnsWithLast(ctx, board_id),
  ])
  const board = notClosed(taken)
  // As they are after each of the cards.
  const columns = found.map((column) => ({ ...column, more: 0 }))
  const mentions = await mentionsOf(ctx, creations)
  const made = creations.map((creation, at) => {
    const column = settled(deriveColumn(columns, undefined, creation.order))
    const is_over_limit = isOverLimit(board, column)
    const rank = generateKeyBetween(column.last_rank, null)
    Object.assign(column, { last_rank: rank, card_count: column.card_count + 1, more: column.more + 1 })
    return {
      ...rowsOf(board, column, creation, { number: board.number + at, rank, mentions: mentions[at] }),
      is_over_limit,
      at,
    }
  })
  const items = made.flatMap((each) => each.items)
  // An import tells nobody: one person would get thousands of messages, and others wrote the texts.
  const heard = made.filter(({ at }) => creations[at]?.source === undefined)
  const joining = heard.flatMap(({ card: { id: card_id }, people }) =>
    people.map((person_id) => ({ card_id, person_id })),
  )
  const tellings = heard.map(({ told }) => told).filter(({ wanted }) => wanted.length > 0)
  /** After the cards, in the same turn of the event loop: nothing waits for an answer. */
  const send = async <T>(cards: Promise<T>): Promise<T> => {
    const [written] = await ctx.db.inOrder([
      cards,
      ...(items.length > 0 ? [insertItems(ctx, items)] : []),
      ...columns
        .filter(({ more }) => more > 0)
        .map(({ id, more }) => columnStore.updateColumnCount(ctx, id, more)),
      ...(tellings.length > 0 ? [tellReaders(ctx, tellings)] : []),
      ...(joining.length > 0 ? [joinCards(ctx, joining)] : []),
      recordStamped(
        ctx,
        made.map(({ entry, at }) => ({
          ...entry,
          id: board.activity_ids[at] as string,
          created_at: laterBy(board.stamped_at, at),
        })),
      ),
    ])
    return written as T
  }
  return { board, made, send }
}

/** Of each card; mostly of none, and then nothing is asked. */
function mentionsOf(ctx: BrandTx, creations: readonly Creation[]): Promise<string[][]> {
  const texts = creations.map(({ order, by, source }) => ({
    named: source ? [] : newMentions('', order.description ?? ''),
    by,
  }))
  return resolveMentions(ctx, texts)
}

/** What was sent besides the title and the column, which the data of the entry holds. */
function toldOf(order: NewCard, workers: Workers, mentions: readonly string[]): Told | null {
  const sent = Object.entries({ ...order, ...workers })
    .filter(([field, to]) => !atOnce.has(field) && to !== undefined && to !== null)
    .map(([field, to]) => [field, { from: null, to }])
  if (sent.length === 0) return null
  const changes = deriveTold(Object.fromEntries(sent), createdFields)
  if (!changes) return null
  return mentions.length > 0 ? { changes, mentions: [...mentions] } : { changes }
}
const atOnce = new Set(['title', 'status', 'column', 'source'])
const createdFields = receiptFields.filter((field) => !atOnce.has(field))

function rowsOf(
  board: boardStore.TakenNumbers,
  column: columnStore.ColumnRow,
  { order, workers, by, source }: Creation,
  {
    number,
    rank,
    mentions = [],
  }: { readonly number: number; readonly rank: string; readonly mentions?: readonly string[] | undefined },
) {
  const now = board.locked_at
  const { values, texts } = valuesAfter(undefined, order, {
    column_id: column.id,
    rank,
    title: order.title,
    status: column.status,
    assignee: workers.assignee ?? null,
    delegate: workers.delegate ?? null,
    updated_by: by,
    source: source ?? deriveSource(undefined, by, order),
    ...deriveTimes(undefined, column.status, now),
    moved_at: now,
    updated_at: now,
  })
  const id = randomUUID()
  const person = JSON.stringify(by)
  const items = (order.checklist ?? []).map((text, at) => ({ card_id: id, text, place: at + 1 }))
  const data = { ref: `${board.key}-${number}`, title: order.title, column: column.name }
  const facts = {
    assignee: workers.assignee ?? null,
    reporter: by,
    status: column.status,
    blocked_reason: order.blocked_reason ?? null,
  }
  const people = peopleOf(mentions)
  return {
    people,
    told: {
      card: { id, board_id: board.id, ...data },
      wanted: [...deriveWanted(undefined, facts, by), ...wantedBy(people, by)],
      actor: by,
    },
    card: {
      ...values,
      ...texts,
      board_id: board.id,
      id,
      number,
      column_name: column.name,
      client_ref: order.client_ref ?? null,
      created_at: now,
      reporter: person,
      created_by: person,
      items_total: items.length,
    },
    items,
    entry: {
      board_id: board.id,
      action: 'task.created',
      card_id: id,
      actor: by,
      data,
      told: toldOf(order, workers, mentions),
    },
  }
}
