import type { AnyRoute, Example } from '@crewhall/contracts/route.ts'
import { formOf } from '../people.ts'
import { png } from '../pictures/picture-png.ts'
import type { BodyFault, IdKind, Ids } from './cells.ts'
import type { Fields, Value, Values, World } from './part.ts'
import { bodies, queries, resources } from './parts.ts'

export interface Call {
  readonly path: string
  readonly init: RequestInit
}

/** The request of a cell. `fresh` replaces values that the call may use up, `example` body and query of the matrix. */
export function callOf(
  route: AnyRoute,
  world: World,
  ids: Ids,
  headers: Readonly<Record<string, string>>,
  fresh: Values,
  example?: Example,
): Call {
  // A copy, because ids are put into it, also deep inside.
  const body = structuredClone((example ? example.body : bodyOf(route, world)) ?? {}) as Fielded
  const query = new URLSearchParams((example ? example.query : queries[route.id]) ?? {})
  let path: string = route.path
  for (const [name, kind] of Object.entries(ids)) {
    const resource = route.resources?.[name] ?? ''
    const value = fresh[resource] ?? idOf(world, resource, kind)
    if (value === undefined) throw new Error(`${route.id}: no ids are known for the resource ${resource}`)
    const [place, field = '', ...deeper] = name.split('.')
    if (place === 'body') putInto(body, [field, ...deeper], value)
    else if (place === 'query') query.set(field, String(value))
    else path = path.replace(`{${name}}`, encodeURIComponent(value))
  }
  const { method } = route
  // All other routes that take a file take a picture.
  if (route.upload) {
    const { field, sample } = route.upload
    const form = formOf(field, sample ? Buffer.from(sample.text) : png({ width: 2, height: 2 }))
    return { path, init: { method, headers, body: form } }
  }
  if (query.size > 0) path += `?${query}`
  return { path, init: route.body ? json(method, body, headers) : { method, headers } }
}

type Fielded = Record<string, unknown>

/** Into each member of the lists on the way, as far as the body has them. */
function putInto(body: Fielded, [field = '', ...deeper]: readonly string[], value: Value): void {
  if (deeper.length === 0) body[field] = field.endsWith('_ids') ? [value] : value
  else for (const each of (body[field] ?? []) as Fielded[]) putInto(each, deeper, value)
}

function idOf({ values }: World, resource: string, kind: IdKind): Value | undefined {
  const known = resources[resource]
  if (!known) return undefined
  if ('own' in known) return kind === 'own' ? known.own : known.missing
  if (kind === 'malformed') return 'nope!'
  if (kind === 'missing') return known.missing
  return kind === 'own' ? values.one[resource] : values.three[resource]
}

function bodyOf({ id, auth, body }: AnyRoute, world: World): Fields {
  const line = bodies[id]
  const known = typeof line === 'function' ? line(world) : line
  // Platform routes refuse every caller of the matrix before they look at a body.
  if (known || !body || auth.kind === 'platform_admin') return known ?? {}
  throw new Error(`${id}: the matrix knows no good body for it`)
}

const json = (method: string, body: unknown, headers: Readonly<Record<string, string>>): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** The same call with a body that cannot be taken, whatever it says. */
export function withFault(call: Call, fault: BodyFault): Call {
  const headers = call.init.headers as Record<string, string>
  const changed = {
    unparsable: { body: '{' },
    nul: { body: '{"note":"\\u0000"}' },
    content_type: { headers: { ...headers, 'content-type': 'text/plain' } },
  }[fault]
  return { ...call, init: { ...call.init, ...changed } }
}
