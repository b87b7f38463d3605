import type { CommonFlags, Context } from '../context.ts'
import { endingOf } from '../exit-codes.ts'
import { Failure, failed } from '../failure.ts'
import { wordsOf } from '../transport/caller.ts'
import { textFrom } from './route-inputs.ts'
import { jsonOf } from './values.ts'

interface ApiFlags extends CommonFlags {
  readonly method?: string
  readonly field?: readonly string[]
  readonly rawField?: readonly string[]
  readonly bodyFile?: string
  readonly header?: readonly string[]
  readonly include?: boolean
}

/** Any path of the API, as `gh api` does it. */
export async function api(
  context: Context,
  [given = '']: readonly string[],
  flags: ApiFlags,
): Promise<undefined> {
  const path = given.startsWith('/') ? given : `/api/v1/${given}`
  const fields = [
    ...(flags.rawField ?? []).map((each) => pairOf('--raw-field', each)),
    ...(flags.field ?? []).map((each) => typed(pairOf('--field', each))),
  ]
  const hasBody = fields.length > 0 || flags.bodyFile !== undefined
  const method = (flags.method ?? (hasBody ? 'POST' : 'GET')).toUpperCase()
  if (!/^(GET|HEAD|POST|PUT|PATCH|DELETE)$/.test(method))
    throw failed(`--method: ${method} is not one of the API`)
  const isQuery = ['GET', 'HEAD'].includes(method)
  const query = isQuery
    ? new URLSearchParams(fields.map(([name, value]) => [name, String(value)]))
    : undefined
  const body = isQuery
    ? undefined
    : flags.bodyFile !== undefined
      ? await textFrom(flags.bodyFile)
      : fields.length > 0
        ? JSON.stringify(Object.fromEntries(fields))
        : undefined
  const headers = Object.fromEntries((flags.header ?? []).map(headerOf))
  const caller = await context.caller()
  const response = await caller.request(
    query && query.size > 0 ? `${path}${path.includes('?') ? '&' : '?'}${query}` : path,
    {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    },
  )
  if (flags.include) {
    context.printer.text(
      `HTTP ${response.status}\n${[...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')}\n`,
    )
    context.printer.text('\n')
  }
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  const parsed = isJson && text !== '' ? jsonOf('the response', text) : undefined
  if (response.status >= 400) {
    const detail = (parsed as { detail?: never } | undefined)?.detail
    throw new Failure(
      endingOf(response.status),
      wordsOf(detail ?? `${response.status} ${response.statusText}`),
      {
        status: response.status,
        request_id: response.headers.get('x-request-id') ?? undefined,
        ...(detail === undefined ? {} : { detail }),
      },
    )
  }
  if (parsed !== undefined)
    await context.printer.or('json').result(parsed, { list: undefined, fields: [], columns: [] })
  else context.printer.text(text)
  return undefined
}

function pairOf(flag: string, text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw failed(`${flag}: must be name=value`)
  return [text.slice(0, at), text.slice(at + 1)]
}

/** `true`, numbers, `null` and JSON are what they look like. */
function typed([name, value]: [string, string]): [string, unknown] {
  return /^(true|false|null|-?\d+(\.\d+)?)$|^\s*[[{"]/.test(value)
    ? [name, jsonOf('--field', value)]
    : [name, value]
}

/** A credential of another kind may be sent; where it goes cannot be changed. */
function headerOf(text: string): [string, string] {
  const [, name, value] = /^([A-Za-z0-9-]+):\s*(.*)$/.exec(text) ?? []
  if (name === undefined || value === undefined || name.toLowerCase() === 'host')
    throw failed('--header: must be name: value')
  return [name.toLowerCase(), value]
}
