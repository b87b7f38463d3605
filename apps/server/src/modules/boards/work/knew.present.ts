import type { CardContext } from '@crewhall/contracts/boards/context.ts'
import type { Knew } from '@crewhall/contracts/boards/knew.ts'
import type { Sources } from '../context/context.present.ts'

interface Given extends Pick<Knew, 'at' | 'budget_bytes'> {
  readonly run_id: string
}

const known = ({ id, version }: { id: string; version: number }) => ({ id, version })

/** What was sent, not what was read: lists are told from their beginning, as far as there was room. */
export function knewOf({ run_id, ...given }: Given, context: CardContext, from: Sources): Knew {
  const { path: _, ref: _ref, cut, version, ...rest } = context
  const head = ['status', 'task_type', 'priority', 'source', 'claim_epoch', 'lessons_degraded']
  return {
    ...given,
    version,
    parts: Object.keys(rest).filter((name) => !head.includes(name)),
    blockers: from.blockers.slice(0, context.blockers?.length ?? 0).map(known),
    parent: context.parent && from.parent ? known(from.parent) : null,
    runs: from.runs
      .slice(0, context.runs?.length ?? 0)
      .filter(({ id }) => id !== run_id)
      .map(({ id, status }) => ({ id, status })),
    comments: from.comments
      .slice(0, context.comments?.length ?? 0)
      .map(({ id, edited_at }) => ({ id, edited_at })),
    cut,
  }
}
