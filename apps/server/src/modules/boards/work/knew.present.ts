import { createHash } from 'node:crypto'
import type { CardContext } from '@crewhall/contracts/boards/context.ts'
import type { Knew, Missing, WorkWith } from '@crewhall/contracts/boards/knew.ts'
import type { Sources } from '../context/context.present.ts'

interface Versioned {
  readonly id: string
  readonly version: number
}
interface Lesson {
  readonly id: string
  readonly body: string
}
interface Given extends Pick<Knew, 'at' | 'budget_bytes'> {
  readonly run_id: string
  readonly wanted: readonly WorkWith[]
  readonly around: {
    readonly lessons: readonly Lesson[]
    readonly memories: readonly Versioned[]
    readonly missing: Missing
  }
}

const head = new Set([
  ...['path', 'ref', 'status', 'task_type', 'priority', 'source', 'version', 'claim_epoch'],
  ...['lessons_degraded', 'cut'],
])
const known = ({ id, version }: Versioned) => ({ id, version })
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** What was sent, not what was read: lists are told from their beginning, as far as there was room. */
export function knewOf(
  { run_id, at, budget_bytes, wanted, around }: Given,
  context: CardContext,
  from: Sources,
): Knew {
  const { lessons, memories, missing } = around
  return {
    at,
    budget_bytes,
    version: context.version,
    parts: Object.keys(context).filter((name) => !head.has(name)),
    blockers: from.blockers.slice(0, context.blockers?.length ?? 0).map(known),
    parent: context.parent && from.parent ? known(from.parent) : null,
    runs: from.runs
      .slice(0, context.runs?.length ?? 0)
      .filter(({ id }) => id !== run_id)
      .map(({ id, status }) => ({ id, status })),
    comments: from.comments
      .slice(0, context.comments?.length ?? 0)
      .map(({ id, edited_at }) => ({ id, edited_at })),
    ...(wanted.includes('lessons')
      ? { lessons: lessons.slice(0, context.lessons?.length ?? 0).map(knownLesson) }
      : {}),
    ...(wanted.includes('memories')
      ? { memories: memories.slice(0, context.memories?.length ?? 0).map(known) }
      : {}),
    ...(Object.keys(missing).length > 0 ? { missing } : {}),
    cut: context.cut,
  }
}

const knownLesson = ({ id, body }: Lesson) => ({ id, version: digestOf(body) })
