import type { Missing, MissingReason, WorkWith } from '@crewhall/contracts/boards/knew.ts'
import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type { CardLesson, CardLessons, CardMemories, CardMemory } from '../boards.ports.ts'
import { lessonScopes, lessonsOf, mayRead, memoryScopes } from '../context/context.service.ts'
import { type ContextRow, findContextCard } from '../context/context.store.ts'

export interface AroundPorts {
  lessons(): readonly CardLessons[]
  memories(): readonly CardMemories[]
}
export interface Around {
  readonly lessons: readonly CardLesson[]
  readonly memories: readonly CardMemory[]
  readonly missing: Missing
}
interface Looked<T> {
  readonly found: readonly T[]
  readonly missing: MissingReason | null
}

/** Of each. */
const most = 10
/** Whoever takes longer is left out: the lease runs already. */
const waitMs = 4000
/** A title and the beginning of what is asked for: more words find less. */
const queryCharacters = 500

/** What is known about the work beyond its board. It never fails: what is away is said. */
export async function lookAround(
  ctx: OutsideBrandCtx,
  ports: AroundPorts,
  card_id: string,
  wanted: readonly WorkWith[],
): Promise<Around> {
  const card = await findContextCard(ctx, card_id)
  if (!card) return { lessons: [], memories: [], missing: {} }
  const [lessons, memories] = await Promise.all([
    wanted.includes('lessons') ? lessonsNear(ctx, ports.lessons(), card) : nothing(null),
    wanted.includes('memories') ? memoriesAbout(ctx, ports.memories(), card) : nothing(null),
  ])
  return {
    lessons: lessons.found,
    memories: memories.found,
    missing: missingOf({ lessons: lessons.missing, memories: memories.missing }),
  }
}

export const missingOf = (reasons: Readonly<Record<WorkWith, MissingReason | null>>): Missing =>
  Object.fromEntries(Object.entries(reasons).filter(([, reason]) => reason !== null))

const nothing = (missing: MissingReason | null): Looked<never> => ({ found: [], missing })

async function lessonsNear(
  ctx: OutsideBrandCtx,
  providers: readonly CardLessons[],
  card: ContextRow,
): Promise<Looked<CardLesson>> {
  if (!mayRead(ctx, lessonScopes)) return nothing('scope_missing')
  return inTime(ctx, 'code_index_unavailable', async () => {
    const { lessons, degraded } = await lessonsOf(ctx, providers, card, most)
    return { found: lessons, missing: degraded }
  })
}

async function memoriesAbout(
  ctx: OutsideBrandCtx,
  providers: readonly CardMemories[],
  card: ContextRow,
): Promise<Looked<CardMemory>> {
  if (!mayRead(ctx, memoryScopes)) return nothing('scope_missing')
  const agent_id = ctx.actor.kind === 'person' ? ctx.actor.agent_id : null
  if (agent_id === null) return nothing('no_agent')
  const asked = { agent_id, query: queryOf(card), limit: most }
  return inTime(ctx, 'memory_unavailable', async () => {
    const found = await Promise.all(providers.map((each) => each.memoriesAbout(ctx, asked)))
    return {
      found: found.flatMap(({ memories }) => memories).slice(0, most),
      missing: found.find(({ degraded }) => degraded !== null)?.degraded ?? null,
    }
  })
}

/** No card of a guest is handed out, and one that is taken by a repeated request is none either. */
const queryOf = ({ title, instructions, description }: ContextRow): string =>
  Array.from([title, instructions, description].join('\n').slice(0, 2 * queryCharacters))
    .slice(0, queryCharacters)
    .join('')
    .toWellFormed()

/** The card is taken by now: whatever goes wrong here must not keep it from its worker. */
async function inTime<T>(
  ctx: OutsideBrandCtx,
  away: MissingReason,
  look: () => Promise<Looked<T>>,
): Promise<Looked<T>> {
  const late = Promise.withResolvers<Looked<T>>()
  const timer = setTimeout(() => late.resolve(nothing(away)), waitMs)
  const looked = look().catch((error: unknown) => {
    ctx.log.warn({ error }, 'what is near a card could not be told')
    return nothing(away)
  })
  try {
    return await Promise.race([looked, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
