import { nothing } from '@crewhall/contracts/bytes.ts'
import { mediaTypes, refusalsOf } from '@crewhall/contracts/openapi.ts'
import { type AnyRoute, formatsOf } from '@crewhall/contracts/route.ts'
import { ErrorBody } from '@crewhall/contracts/wire.ts'
import type { FuzzCase } from './fuzz.ts'
import type { FuzzAnswer } from './fuzz-send.ts'

/** What an error must never reveal: a stack, a file, a statement, a message of a library or the database. */
const insides =
  /\bat .+:\d+:\d+|node_modules|\.(ts|js|sql)\b|\/(apps|src|home|usr|tmp|var)\/|\b(select|insert into|update|delete from) |violates|SQLSTATE|syntax error|relation "|Fastify|Zod|FST_/i

/** Of any body but a file: lists of long texts may obey their contract and be longer. */
const mostBytes = 1_048_576

/** Says what is wrong with an answer, or nothing. */
export function verdict(route: AnyRoute, each: FuzzCase, answer: FuzzAnswer): string | undefined {
  const { status } = answer
  const refusals = refusalsOf(route)
  if (status >= 500) return `answered ${status}`
  if (status === 404 && isNoPath(each)) return faultOfRefusal(answer)
  if (!(status in route.responses) && !refusals.has(status))
    return `answered ${status}, which is not documented`
  if (status in route.responses) {
    if (isRefusedByContract(route, each)) return `took what its contract refuses, with ${status}`
    return faultOfBody(route, answer)
  }
  const isTooLong = status === 413 && Buffer.byteLength(each.body ?? '') > mostBytes
  if (each.kind === 'valid' && !isTooLong && malformed(route).includes(status))
    return `refused valid data: ${answer.text}`
  return faultOfRefusal(answer)
}

/** Bytes that are no text make a path that leads to no route, whatever the contract says of its ids. */
const isNoPath = ({ params }: FuzzCase): boolean =>
  Object.values(params).some((value) => !value.isWellFormed())

const malformed = (route: AnyRoute): number[] => {
  const declared = (route.refusals ?? []).map(({ status }) => status)
  return [route.invalid ?? 422, 413, 405, ...(declared.includes(404) ? [] : [404])]
}

/** The contract's own word on what was sent, without the layers between: none of them may soften it. */
function isRefusedByContract(route: AnyRoute, each: FuzzCase): boolean {
  const names = [...new Set(each.query.map(([name]) => name))]
  const query = names.map((name) => {
    const values = each.query.flatMap(([other, value]) => (other === name ? [value] : []))
    return [name, values.length > 1 ? values : values[0]]
  })
  const { params, query: asked, body } = route
  return (
    params?.safeParse(each.params).success === false ||
    asked?.safeParse(Object.fromEntries(query)).success === false ||
    (body !== undefined && !body.safeParse(parsed(each.body)).success)
  )
}

function parsed(body: FuzzCase['body']): unknown {
  try {
    return JSON.parse(
      Buffer.from(body ?? '')
        .toString('utf8')
        .replace(/^\ufeff/, ''),
    )
  } catch {
    return undefined
  }
}

function faultOfBody(route: AnyRoute, { status, content_type, text }: FuzzAnswer): string | undefined {
  if (route.responses[status] === nothing) return text === '' ? undefined : 'answered with a body'
  const types = formatsOf(route).map((format) => `${mediaTypes[format]}; charset=utf-8`)
  if (!types.includes(content_type)) return `answered ${content_type}, which is not documented`
  if (!content_type.startsWith(mediaTypes.json)) return text === '' ? 'answered nothing' : undefined
  const result = route.responses[status]?.safeParse(parsed(text))
  return result?.success ? undefined : `broke its contract: ${text.slice(0, 300)}`
}

function faultOfRefusal({ content_type, text }: FuzzAnswer): string | undefined {
  if (!content_type.startsWith(mediaTypes.json)) return `refused as ${content_type}`
  const body = ErrorBody.safeParse(parsed(text))
  if (!body.success) return `refused without a detail: ${text.slice(0, 300)}`
  if (text.length > 2000) return `refused with ${text.length} characters`
  return insides.test(text) ? `told of its insides: ${text.slice(0, 300)}` : undefined
}
