import { randomBytes } from 'node:crypto'
import { isRead, token } from '@crewhall/contracts/route.ts'
import { callOf } from '@crewhall/contracts/tools/calls.ts'
import { createFence } from '@crewhall/contracts/tools/fence.ts'
import { helpOf } from '@crewhall/contracts/tools/help.ts'
import { textOf } from '@crewhall/contracts/tools/texts.ts'
import { isFault, type Tool, type ToolCall, type ToolFault } from '@crewhall/contracts/tools/tool.ts'
import type { Inside, InsideAnswer } from '#platform/http/inside.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import type { Confirmations } from './confirmations.ts'
import { agentOf } from './granted.service.ts'
import type { CallResult, Question, Round } from './protocol.ts'
import type { View } from './view.service.ts'

export interface CallDeps {
  readonly confirmations: Confirmations
  readonly metrics: Metrics
}

/** A call of one of the product's own tools. */
export interface Asked {
  readonly view: View
  readonly inside: Inside
  readonly tool: Tool
  readonly args: unknown
  readonly round: Round
}

export interface Called {
  /** Undefined if there is no such tool. */
  readonly result: CallResult | Question | undefined
  readonly outcome: 'ok' | 'fault' | 'asked' | 'declined' | 'refused' | 'outage'
  /** Of the request that the call stood for. */
  readonly status?: number
}

export async function callTool(deps: CallDeps, asked: Asked): Promise<Called> {
  const { view, tool, args } = asked
  const call = tool.actions.length === 0 ? undefined : callOf(tool, args, knownOf(view))
  const settled = call ? withoutRequest(deps, asked, call) : helpFor(view, args)
  if (settled) {
    await checkCaller(asked.inside)
    return settled
  }
  return request(asked.inside, call as ToolCall)
}

/** For what no route is asked about: the credential is still good, and the call counts. */
export const checkCaller = (inside: Inside): Promise<void> =>
  inside.as(token(), async (ctx) => {
    await ctx.confirm()
    inside.count(ctx)
  })

/** What can be said of a call without making its request. */
function withoutRequest(deps: CallDeps, asked: Asked, call: ToolCall | ToolFault): Called | undefined {
  const { view, tool } = asked
  if (isFault(call)) return { result: failed(call.fault), outcome: 'fault' }
  if (!view.has(tool, call.action))
    return {
      result: failed(`${tool.name} ${call.action.name} is not available at this address.`),
      outcome: 'fault',
    }
  return confirmation(deps, asked, call)
}

async function request(inside: Inside, call: ToolCall): Promise<Called> {
  const { route, params, query, body, key, if_match } = call
  const answer = await inside.perform(route, {
    params,
    query,
    body,
    headers: {
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(if_match === undefined ? {} : { 'if-match': if_match }),
    },
  })
  const { status } = answer
  const outcome = status < 400 ? 'ok' : status < 500 ? 'refused' : 'outage'
  return { result: resultOf(call, answer), outcome, status }
}

/** What cannot be taken back is asked about first, where the client can ask. Undefined when there is nothing to wait for. */
function confirmation(
  { confirmations }: CallDeps,
  { view: { ctx }, tool, args, round }: Asked,
  call: ToolCall,
): Called | undefined {
  const { action, query } = call
  if (!action.is_destructive || !round.can_ask || query.dry_run === 'true') return undefined
  const isAnswer = round.state !== undefined && confirmations.isFor(ctx, round.state, tool.name, args)
  if (isAnswer && round.answer === 'accept') return undefined
  if (isAnswer && round.answer !== undefined)
    return { result: failed('Not done: the question was not answered with yes.'), outcome: 'declined' }
  const state = confirmations.stateOf(ctx, tool.name, args)
  return { result: { message: questionOf(tool, call), state }, outcome: 'asked' }
}

/** Says what it is about: a model may have chosen it. */
function questionOf({ title }: Tool, { action, params }: ToolCall): string {
  const about = Object.entries(params).map(([name, value]) => `${name} ${JSON.stringify(value).slice(0, 80)}`)
  return `${title}: ${action.summary}?${about.length === 0 ? '' : ` (${about.join(', ')})`}`
}

function knownOf({ ctx }: View) {
  const { brandId: brand_id } = ctx
  const agent_id = agentOf(ctx)
  return agent_id === null ? { brand_id } : { brand_id, agent_id }
}

function helpFor(view: View, args: unknown): Called {
  const shown = view.tools.filter(
    (tool) => tool.actions.length === 0 || tool.actions.some((action) => view.shows(tool, action)),
  )
  const ofAction = new Map(shown.flatMap((tool) => tool.actions.map((action) => [action, tool] as const)))
  const text = helpOf(shown, args, (action) => {
    const tool = ofAction.get(action)
    return tool !== undefined && view.shows(tool, action)
  })
  return { result: { content: [{ type: 'text', text }], is_error: false }, outcome: 'ok' }
}

/** Words of a response in the language of models. Texts from outside come fenced with a nonce that nobody can know. */
function resultOf(call: ToolCall, answer: InsideAnswer): CallResult {
  const { status, headers, text, is_cut } = answer
  const fence = createFence(randomBytes(8).toString('hex'))
  const body = text === '' ? undefined : JSON.parse(text)
  const lines = [textOf(call, { status, body }, fence)]
  if (is_cut) lines.push(`[${cutNote(call)}]`)
  const { 'retry-after': retryAfter, 'idempotent-replayed': replayed, 'dry-run': dryRun } = headers
  if (retryAfter !== undefined) lines.push(`Try again in ${retryAfter} s.`)
  if (replayed !== undefined) lines.push('[done before with this key; this is the response of that time]')
  if (dryRun !== undefined) lines.push('[dry run: nothing was written]')
  return { content: [{ type: 'text', text: lines.join('\n') }], is_error: status >= 400 }
}

const cutNote = ({ route }: ToolCall): string =>
  isRead(route)
    ? 'the rest is left out: narrow the request, or get all of it over HTTP'
    : 'the rest of the response is left out; what was asked for is done'

const failed = (text: string): CallResult => ({ content: [{ type: 'text', text }], is_error: true })
