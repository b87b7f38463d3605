import { notFound, Refusal } from '@crewhall/contracts/refusal.ts'
import type { AnyRoute, RouteInput } from '@crewhall/contracts/route.ts'
import { ownWords } from '@crewhall/contracts/wording.ts'
import type { z } from 'zod'
import { hostileText } from '#platform/http/request/hostile-text.ts'

interface RequestTarget {
  readonly params: unknown
  readonly query: unknown
}

/** Malformed input has one status per family of routes: 422, or 400 on board routes (SYS-G4). */
export const invalid = (spec: AnyRoute | undefined, detail: string): Refusal =>
  new Refusal(spec?.invalid ?? 422, detail)

/** What the contract says about a request before its body, checked by the contract's own schemas and nothing else. */
export function validatePlace(
  spec: AnyRoute,
  raw: RequestTarget,
): Pick<RouteInput<AnyRoute>, 'params' | 'query'> {
  const params = spec.params ? parseParams(spec, spec.params, raw.params) : undefined
  const query = spec.query ? parse(spec, spec.query, raw.query, 'query') : undefined
  return { params, query } as Pick<RouteInput<AnyRoute>, 'params' | 'query'>
}

/** A caller in no workspace, where others come with a session, is an admin of the platform. */
export function validateBody(
  spec: AnyRoute,
  body: unknown,
  caller: 'brand' | 'system',
): RouteInput<AnyRoute>['body'] {
  const schema = caller === 'system' ? (spec.admin_body ?? spec.body) : spec.body
  return (schema ? parse(spec, schema, body, 'body') : undefined) as RouteInput<AnyRoute>['body']
}

function parseParams(spec: AnyRoute, schema: z.ZodType, value: unknown): unknown {
  const isHostile = !spec.judges_texts && hostileText(value) !== undefined
  const result = isHostile ? undefined : schema.safeParse(value)
  // SYS-G10: a value that cannot name anything is answered like a name that nothing bears.
  if (!result?.success) throw (spec.missing ?? notFound)()
  return result.data
}

function parse(spec: AnyRoute, schema: z.ZodType, value: unknown, place: 'query' | 'body'): unknown {
  if (place === 'body' && value === undefined && !schema.safeParse(undefined).success)
    throw invalid(spec, 'A JSON body is required')
  const hostile = spec.judges_texts ? undefined : hostileText(value)
  if (hostile !== undefined) {
    throw invalid(spec, `${shown(hostile || place)}: must not contain NUL or unpaired surrogates`)
  }
  const result = schema.safeParse(value, { error: ownWords })
  if (result.success) return result.data
  const [issue] = result.error.issues
  if (place === 'query' && issue?.code === 'unrecognized_keys')
    throw invalid(spec, `${shown(issue.keys[0] ?? place)}: unknown parameter; there are ${namesOf(schema)}`)
  throw invalid(spec, sentence(issue, place, value))
}

/** SYS-G3: one string that names the field and the rule, and never repeats what was sent. */
function sentence(issue: z.core.$ZodIssue | undefined, place: string, value: unknown): string {
  if (!issue) return `${place}: not valid`
  const field = shown(issue.path.map(String).join('.') || place)
  if (issue.code === 'unrecognized_keys') return `${shown(issue.keys[0] ?? place)}: unknown field`
  if (issue.code !== 'custom' && valueAt(value, issue.path) === undefined) return `${field}: is required`
  return `${field}: ${issue.message}`
}

const namesOf = (schema: z.ZodType): string =>
  Object.keys((schema as z.ZodObject).shape)
    .sort()
    .join(', ')

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown> | null)?.[key], value)

/** Names of fields may come from the caller too; an answer is no place for a megabyte of them. */
const shown = (name: string): string => (name.length > 100 ? `${[...name].slice(0, 100).join('')}…` : name)
