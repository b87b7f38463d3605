import { randomBytes } from 'node:crypto'
import { getCard } from '@crewhall/contracts/boards/cards.ts'
import { extendClaim, releaseClaim } from '@crewhall/contracts/boards/claims.ts'
import { noColumnForStatus } from '@crewhall/contracts/boards/refusals.ts'
import { startRun } from '@crewhall/contracts/boards/runs.ts'
import { createFence } from '@crewhall/contracts/tools/fence.ts'
import { type Piece, render } from '@crewhall/contracts/tools/pieces.ts'
import { presentContext, presentWork } from '@crewhall/contracts/tools/present/context.ts'
import type { ToolCall } from '@crewhall/contracts/tools/tool.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { dropWork, type Held, heldWork, keepWork } from '../settings/held-work.ts'
import { boardId } from './board-names.ts'
import { refOf } from './card-refs.ts'
import { confirmed } from './questions.ts'
import type { RouteCommand, RouteFlags } from './route-command.ts'
import type { RouteHandler } from './route-entry.ts'
import { showResult } from './show-result.ts'

interface Claimed {
  readonly claim: { readonly claim_id: string; readonly epoch: number } | null
  readonly run?: { readonly id: string } | null
  readonly context?: { readonly ref: string } | null
}

/** Whether the caller has said how the result is wanted. */
export const wantsForm = ({ json, jq, template, output }: RouteFlags): boolean =>
  [json, jq, template, output].some((each) => each !== undefined)

/** The text that a model reads over MCP as well: compact, and with words from outside fenced off. */
export function printPieces(context: Context, pieces: readonly Piece[]): void {
  const fence = createFence(randomBytes(6).toString('hex'))
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const { text, next_offset }: { text: string; next_offset: number | undefined } = render(
      pieces,
      fence,
      offset,
    )
    context.printer.text(text)
    offset = next_offset
  }
}

/** The boards that the caller has named; without one, all of them. */
async function boardsNamed(context: Context): Promise<{ board_ids?: string[] }> {
  const { board } = await context.choice()
  return board === undefined ? {} : { board_ids: [await boardId(context, board)] }
}

export const takeNext: RouteHandler = async (context, command, positional, flags) => {
  const input = await command.input(context, positional, flags)
  const wish = { ...(input.body as object | undefined), ...(await boardsNamed(context)) }
  const isTrial = flags.claim !== true || flags.dryRun === true
  const query = { ...input.query, ...(isTrial ? { dry_run: 'true' } : {}) }
  const answer = await command.send(context, { ...input, body: wish, query }, flags)
  const body = answer.body as Claimed
  if (!body.claim || !body.context) throw new Failure('not_found', 'no card is ready')
  if (!isTrial)
    await keepWork(context, {
      host: await context.host(),
      ref: body.context.ref,
      claim_id: body.claim.claim_id,
      epoch: body.claim.epoch,
      ...(body.run ? { run_id: body.run.id } : {}),
    })
  if (wantsForm(flags)) await showResult(context, command, answer, flags)
  else printPieces(context, isTrial ? presentContext(body.context) : presentWork(body, {} as ToolCall))
  return undefined
}

export const showContext: RouteHandler = async (context, command, positional, flags) => {
  const task_id = positional[0] ?? (await heldWork(context)).ref
  const answer = await command.send(context, await command.input(context, [task_id], flags), flags)
  if (wantsForm(flags)) await showResult(context, command, answer, flags)
  else printPieces(context, presentContext(answer.body))
  return undefined
}

export const claim: RouteHandler = async (context, command, positional, flags) => {
  const answer = await command.run(context, positional, flags)
  const { claim_id, epoch } = answer.body as { claim_id: string; epoch: number }
  if (answer.headers.get('dry-run') !== 'true')
    await keepWork(context, {
      host: await context.host(),
      ref: await refOf(context, positional[0] ?? ''),
      claim_id,
      epoch,
    })
  await showResult(context, command, answer, flags)
  return undefined
}

/** One's own claim, or with a word of consent that of somebody else. */
export const release: RouteHandler = async (context, command, positional, flags) => {
  const ref = await refOf(context, positional[0] ?? '')
  const held = await heldWork(context, ref).catch(() => undefined)
  const caller = await context.caller()
  let claimed = held?.claim_id === undefined ? undefined : { claim_id: held.claim_id, epoch: held.epoch }
  if (!claimed) {
    const { body } = await caller.call(getCard, { params: { task_id: ref } })
    const { claim: of } = body as {
      claim: { claim_id: string; epoch: number; holder: { name: string } } | null
    }
    if (!of) throw new Failure('conflict', `nobody has claimed ${ref}`)
    await confirmed(context, `Release the claim of ${of.holder.name} on ${ref}?`)
    claimed = { claim_id: of.claim_id, epoch: of.epoch }
  }
  const answer = await caller.call(releaseClaim, { params: { task_id: ref }, body: claimed })
  if (held) await dropWork(context, held)
  await showResult(context, command, answer, flags)
  return undefined
}

/** The run of the work that is meant, begun if there is none yet. */
async function runOf(context: Context, work: Held): Promise<string> {
  if (work.run_id !== undefined) return work.run_id
  const { body } = await (await context.caller()).call(startRun, {
    params: { task_id: work.ref },
    body: work.epoch === undefined ? {} : { epoch: work.epoch },
  })
  const run_id = (body as { id: string }).id
  await keepWork(context, { ...work, run_id })
  return run_id
}

/** The card may be left out: `progress "Two tests fail"`. */
function cardAndText(positional: readonly string[]): { ref?: string; text?: string } {
  const [first, second] = positional
  if (second !== undefined) return { ...(first === undefined ? {} : { ref: first }), text: second }
  if (first === undefined) return {}
  return /^[a-z]{2,10}-[1-9]\d{0,8}$/i.test(first) ? { ref: first } : { text: first }
}

/** Says how far the work is, and keeps its claim. */
export const progress: RouteHandler = async (context, command, positional, flags) => {
  const { ref, text } = cardAndText(positional)
  const work = await heldWork(context, ref)
  const { claim_id, epoch } = work
  if (claim_id !== undefined && epoch !== undefined)
    await (await context.caller()).call(extendClaim, {
      params: { task_id: work.ref },
      body: { claim_id, epoch },
    })
  const known = { run_id: await runOf(context, work), ...(text === undefined ? {} : { summary: text }) }
  const input = await command.input(context, [], flags, known)
  await showShort(context, command, await command.send(context, input, flags), flags, `${work.ref}: noted`)
  return undefined
}

/** Ends the work of a card: the same route for what is done and for what cannot go on. */
async function finish(
  context: Context,
  command: RouteCommand,
  positional: readonly string[],
  flags: RouteFlags,
  ended: (known: { text?: string; change: Record<string, unknown> }) => Record<string, unknown>,
  word: string,
): Promise<undefined> {
  const { ref, text } = cardAndText(positional)
  const work = await heldWork(context, ref)
  const input = await command.input(context, [], flags, { run_id: await runOf(context, work) })
  const body = (input.body ?? {}) as Record<string, unknown>
  const change = (body.change ?? {}) as Record<string, unknown>
  const merged = { ...body, ...ended({ change, ...(text === undefined ? {} : { text }) }) }
  const checked = command.route.body?.safeParse(merged)
  if (checked && !checked.success) {
    const [issue] = checked.error.issues
    throw new Failure('error', `${issue?.path.join('.')}: ${issue?.message}`)
  }
  const answer = await command.send(context, { ...input, body: merged }, flags)
  await dropWork(context, work)
  await showShort(context, command, answer, flags, `${work.ref}: ${word}`)
  return undefined
}

export const done: RouteHandler = (context, command, positional, flags) =>
  finish(
    context,
    command,
    positional,
    flags,
    ({ text, change }) => ({
      ...(text === undefined ? {} : { summary: text }),
      change:
        change.column === undefined && change.status === undefined ? { ...change, status: 'done' } : change,
    }),
    'done',
  )

export const block: RouteHandler = async (context, command, positional, flags) => {
  const { text } = cardAndText(positional)
  const reason = text ?? (typeof flags.reason === 'string' ? flags.reason : undefined)
  if (reason === undefined) throw new Failure('error', '--reason: is needed')
  const blocked = (more: object) =>
    finish(
      context,
      command,
      positional,
      flags,
      ({ change }) => ({ reason, change: { blocked_reason: reason, ...more, ...change } }),
      'blocked',
    )
  try {
    return await blocked({ status: 'blocked' })
  } catch (error) {
    if (!(error instanceof Failure) || error.detail !== noColumnForStatus.text) throw error
    context.printer.warn('crewhall: the board has no column for blocked cards: this one may be offered again')
    return blocked({})
  }
}

/** An agent needs to know that it went well, not all of it again. */
async function showShort(
  context: Context,
  command: RouteCommand,
  answer: Parameters<typeof showResult>[2],
  flags: RouteFlags,
  words: string,
): Promise<void> {
  if (wantsForm(flags)) await showResult(context, command, answer, flags)
  else if (!flags.quiet) context.printer.line(words)
}
