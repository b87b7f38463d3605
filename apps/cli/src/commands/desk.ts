import { setTimeout as wait } from 'node:timers/promises'
import { getDesk } from '@crewhall/contracts/fleet/workstations.ts'
import { cancelHireNow } from '@crewhall/contracts/hires/cancel.ts'
import { getHire } from '@crewhall/contracts/hires/hires.ts'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { confirmed } from './questions.ts'
import type { RouteCommand, RouteFlags } from './route-command.ts'
import type { RouteHandler } from './route-entry.ts'
import { showResult } from './show-result.ts'
import { wantsForm } from './work.ts'

interface Step {
  readonly key?: string
  readonly step?: string
  readonly title?: string
  readonly state?: string
  readonly status?: string
  readonly reason: string | null
  readonly hint?: string | null
}
interface Built {
  readonly status: string
  readonly onboarding_steps?: readonly Step[]
  readonly steps?: readonly Step[]
  readonly reason?: string | null
}

const marks: Readonly<Record<string, string>> = { done: 'x', failed: '!', blocked: '-', skipped: '-' }
const stateOf = ({ state, status }: Step): string => state ?? status ?? ''
const nameOf = ({ title, step, key }: Step): string => title ?? step ?? key ?? ''

function lineOf(step: Step): string {
  const why = step.hint ?? step.reason
  return `[${marks[stateOf(step)] ?? ' '}] ${nameOf(step)}${why ? `: ${why}` : ''}`
}

const stepsOf = ({ onboarding_steps, steps }: Built): readonly Step[] => onboarding_steps ?? steps ?? []

/** What there is to know, and how far the installation or the build is. */
export const showWithSteps: RouteHandler = async (context, command, positional, flags) => {
  const answer = await command.run(context, positional, flags)
  if (wantsForm(flags)) await showResult(context, command, answer, flags)
  else {
    const { onboarding_steps: _, steps: __, ...facts } = answer.body as Built & Record<string, unknown>
    await context.printer.result(facts, { ...command.view, list: undefined })
    for (const step of stepsOf(answer.body as Built)) context.printer.line(lineOf(step))
  }
  return undefined
}

const everyMs = 3000

/** Follows one thing until it is finished: a line for each step that changes. */
async function follow(
  context: Context,
  command: RouteCommand,
  positional: readonly string[],
  flags: RouteFlags,
  { route, isOver }: { readonly route: AnyRoute; isOver(status: string): boolean },
): Promise<Built> {
  const input = await command.checked(context, positional, flags)
  const told = new Map<string, string>()
  for (;;) {
    const answer = await (await context.caller()).call(route, input)
    const body = answer.body as Built
    for (const step of stepsOf(body)) {
      const line = lineOf(step)
      if (told.get(nameOf(step)) !== line && !wantsForm(flags)) context.printer.line(line)
      told.set(nameOf(step), line)
    }
    if (isOver(body.status)) {
      if (wantsForm(flags)) await showResult(context, command, answer, flags)
      return body
    }
    await wait(everyMs, undefined, { signal: context.signal }).catch(() => {
      throw new Failure('cancelled', 'cancelled')
    })
  }
}

/** Until the desk is ready, or somebody has paused it. */
export const watchDesk: RouteHandler = async (context, command, positional, flags) => {
  const isOver = (status: string) => status === 'ready' || status === 'suspended'
  const { status } = await follow(context, command, positional, flags, { route: getDesk, isOver })
  if (status !== 'ready') throw new Failure('conflict', `the desk is ${status}`)
  return undefined
}

/** Until the employee works, or does not any more. */
export const watchHire: RouteHandler = async (context, command, positional, flags) => {
  const isOver = (status: string) => status !== 'provisioning'
  const { status } = await follow(context, command, positional, flags, { route: getHire, isOver })
  if (status !== 'active') throw new Failure('conflict', `the hire is ${status}`)
  return undefined
}

/** At the end of the period, or now. */
export const cancelHireOf: RouteHandler = async (context, command, positional, flags) => {
  if ((flags as { now?: boolean }).now !== true)
    await showResult(context, command, await command.run(context, positional, flags), flags)
  else {
    const input = await command.checked(context, positional, flags)
    await confirmed(context, `${cancelHireNow.summary}: ${positional[0]}?`)
    await showResult(context, command, await (await context.caller()).call(cancelHireNow, input), flags)
  }
  return undefined
}
