import { setTimeout as wait } from 'node:timers/promises'
import { streamEvents } from '@crewhall/contracts/boards/stream.ts'
import type { CommonFlags, Context } from '../context.ts'
import { endingOf } from '../exit-codes.ts'
import { Failure, failed } from '../failure.ts'
import { wordsOf } from '../transport/caller.ts'
import { boardId } from './board-names.ts'
import { eventsIn, type StreamEvent } from './events.ts'

interface WatchFlags extends CommonFlags {
  readonly types?: string
  readonly since?: string
  readonly limit?: string
}

/** The service sends something every 15 seconds; so long without is a dead connection. */
const silence_ms = 45_000
const view = {
  list: 'events',
  fields: [
    'id',
    'action',
    'created_at',
    'actor',
    'ref',
    'title',
    'board_id',
    'data',
    'changes',
    'type',
    'subject',
  ],
  columns: ['created_at', 'actor', 'action', 'ref', 'title'],
}

/** Follows the events of the workspace or of a board, over cut connections and restarts. */
export async function watch(context: Context, _: readonly string[], flags: WatchFlags): Promise<undefined> {
  if (flags.json === true) return void context.printer.text(view.fields.join('\n'))
  const limit = flags.limit === undefined ? Number.POSITIVE_INFINITY : Number(flags.limit)
  if (!(limit >= 1)) throw failed('--limit: must be a whole number from 1')
  const { board } = await context.choice()
  const query = {
    ...(board === undefined ? {} : { board_ids: await boardId(context, board) }),
    ...(flags.types === undefined ? {} : { types: flags.types }),
    ...(flags.since === undefined ? {} : { since: flags.since }),
  }
  const checked = streamEvents.query.safeParse(query)
  if (!checked.success) {
    const [issue] = checked.error.issues
    throw failed(`--${String(issue?.path[0])}: ${issue?.message}`)
  }
  let last: string | undefined
  let seen = 0
  for (let failures = 0; ; ) {
    try {
      for await (const event of followed(context, query, last)) {
        failures = 0
        last = event.id ?? last
        if (event.event === 'ready' || event.data === '') continue
        if (event.event === 'reset') {
          context.printer.warn('crewhall: events are missing: the stream could not go on where it was')
          continue
        }
        await show(context, event)
        seen += 1
        if (seen >= limit) return undefined
      }
    } catch (error) {
      if (context.signal.aborted) return undefined
      if (error instanceof Failure && error.ending !== 'away' && error.ending !== 'limited') throw error
      failures += 1
      if (failures > 8) throw error
    }
    if (context.signal.aborted) return undefined
    const wait_ms = Math.min(500 * 2 ** failures, 30_000)
    context.printer.note(`The stream ended; going on in ${wait_ms / 1000} s.`)
    await wait(wait_ms, undefined, { signal: context.signal }).catch(() => undefined)
  }
}

/** One connection, until it ends or falls silent. */
async function* followed(
  context: Context,
  query: Readonly<Record<string, string>>,
  last: string | undefined,
): AsyncGenerator<StreamEvent> {
  const stop = new AbortController()
  const onAbort = () => stop.abort()
  context.signal.addEventListener('abort', onAbort)
  let watchdog: NodeJS.Timeout | undefined
  const heard = () => {
    clearTimeout(watchdog)
    watchdog = setTimeout(onAbort, silence_ms)
  }
  try {
    heard()
    const caller = await context.caller()
    const response = await caller.request(`${streamEvents.path}?${new URLSearchParams(query)}`, {
      headers: { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) },
      stream: true,
      signal: stop.signal,
    })
    if (response.status !== 200 || !response.body) throw await refusalOf(response)
    for await (const event of eventsIn(response.body)) {
      heard()
      if (event !== 'comment') yield event
    }
  } finally {
    clearTimeout(watchdog)
    context.signal.removeEventListener('abort', onAbort)
    stop.abort()
  }
}

async function refusalOf(response: Response): Promise<Failure> {
  const body = (await response.json().catch(() => ({}))) as { detail?: unknown }
  const request_id = response.headers.get('x-request-id') ?? undefined
  const { status } = response
  return new Failure(endingOf(status), wordsOf(body.detail ?? response.statusText), { status, request_id })
}

async function show(context: Context, { id, event, data }: StreamEvent): Promise<void> {
  const entry = JSON.parse(data) as Record<string, unknown>
  const told = { ...entry, id: id ?? entry.id, action: entry.action ?? entry.type ?? event }
  if (
    context.flags.output === undefined &&
    context.flags.jq === undefined &&
    context.flags.template === undefined &&
    context.flags.json === undefined
  )
    await context.printer.row(told, view)
  else await context.printer.result(told, { ...view, list: undefined })
}
