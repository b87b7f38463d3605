import { ownServerMark } from '@crewhall/testkit/given-address.ts'

export interface TestOutcome {
  readonly title: string
  readonly state: string
  /** Its own, and those of the hooks around it. */
  readonly errors: readonly string[]
}

interface Judged {
  readonly passed: number
  readonly failed: readonly { readonly title: string; readonly message: string }[]
  readonly not_run: readonly { readonly title: string; readonly why: string }[]
}

/** Tests that asked for a server of their own did not run, and neither did those of a file that needs one as a whole. */
export function judgeOutcomes(outcomes: readonly TestOutcome[]): Judged {
  const failed: { title: string; message: string }[] = []
  const not_run: { title: string; why: string }[] = []
  for (const { title, state, errors } of outcomes) {
    if (state === 'passed') continue
    const why = errors.map(reasonIn).find((reason) => reason !== undefined)
    if (why !== undefined) not_run.push({ title, why })
    else if (state === 'failed' || errors.length > 0)
      failed.push({ title, message: errors[0]?.split('\n')[0] ?? '' })
    else not_run.push({ title, why: 'left out by themselves' })
  }
  return { passed: outcomes.length - failed.length - not_run.length, failed, not_run }
}

const pattern = new RegExp(`${ownServerMark}: ([^\\n]+)`)

function reasonIn(message: string): string | undefined {
  const why = pattern.exec(message)?.[1]
  return why === undefined ? undefined : `need ${why}`
}
