import { bodyTooLarge } from '@crewhall/contracts/refusal.ts'
import type { PlainAnswer, PlainRequest, Refused } from '#platform/http/plain-route.ts'
import { type Fields, readFields } from './fields.rules.ts'
import { invalidRequest } from './oauth-errors.ts'

const maxBytes = 16 * 1024

/** What is longer is refused before it is read, or at the latest before it is looked at. */
async function bytesOf(request: PlainRequest): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge()
  const bytes = await request.bytes()
  if (bytes.length > maxBytes) throw bodyTooLarge()
  return bytes
}

/** Whatever type it is said to be: what reads requests tells JSON and files from the rest, and no more. */
export async function readForm(request: PlainRequest): Promise<Fields> {
  const fields = readFields(new URLSearchParams((await bytesOf(request)).toString('utf8')))
  if (typeof fields === 'string') throw invalidRequest(fields)
  return fields
}

export async function readJson(request: PlainRequest): Promise<unknown> {
  await bytesOf(request)
  return request.json()
}

const type = 'application/json; charset=utf-8'

export const answerJson = (body: unknown, headers: Readonly<Record<string, string>> = {}): PlainAnswer => ({
  status: 200,
  type,
  body: JSON.stringify(body),
  headers,
})

/** What is no error of OAuth gets the nearest one. */
export function refuseJson({ status, detail }: Refused): PlainAnswer {
  if (typeof detail !== 'string') return { status, type, body: JSON.stringify(detail) }
  const error = status >= 500 || status === 429 ? 'temporarily_unavailable' : 'invalid_request'
  return { status, type, body: JSON.stringify({ error, error_description: detail }) }
}
