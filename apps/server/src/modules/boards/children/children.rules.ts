import type { Progress } from '@crewhall/contracts/boards/children.ts'

interface Part {
  readonly status: string
  readonly estimate: number | null
}

/** What is canceled is no part of the work any more. */
export function deriveProgress(children: readonly Part[]): Progress {
  const parts = children.filter(({ status }) => status !== 'canceled')
  const done = parts.filter(({ status }) => status === 'done')
  return {
    total: parts.length,
    done: done.length,
    estimate: sum(parts),
    estimate_done: sum(done),
    unestimated: parts.filter(({ estimate }) => estimate === null).length,
  }
}

const sum = (parts: readonly Part[]) => parts.reduce((all, { estimate }) => all + (estimate ?? 0), 0)
