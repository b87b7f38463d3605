import { nothing } from '@crewhall/contracts/bytes.ts'
import { successStatus } from '@crewhall/contracts/route.ts'
import { Answer } from '#platform/http/answer.ts'
import { EventStreamAnswer } from '#platform/http/event-stream.ts'
import { FileAnswer } from '#platform/http/file-answer.ts'
import type { MountedRoute } from '#platform/http/handle.ts'
import type { InsideAnswer } from '#platform/http/inside.ts'
import { beginningOfList, ListAnswer } from '#platform/http/list-answer.ts'
import type { Told } from '#platform/http/response/errors.ts'
import { type SerializerSource, serializerOf } from '#platform/http/response/serializers.ts'
import type { Performed } from '#platform/http/serving/perform.ts'
import { checkAnswer } from '#platform/http/serving/send-answer.ts'

type Headers = Readonly<Record<string, string>>

/** What is held of a list: far more than anybody reads in one go, and so little that many callers fit in. */
const listBytes = 2 * 1024 * 1024

/** What is held of a file that is text. */
const fileBytes = 256 * 1024

/** The same as `sendAnswer` would send as JSON, put into a text. */
export async function answerInside(
  { spec, success }: MountedRoute,
  { result, headers: added }: Performed,
  told: Headers,
  checks: boolean,
  source: SerializerSource,
): Promise<InsideAnswer> {
  if (result instanceof EventStreamAnswer) throw new Error(`${spec.id} is a stream; it has no one response`)
  if (result instanceof FileAnswer) return fileInside(result, successStatus(spec), told)
  if (result instanceof ListAnswer) {
    const { text, is_cut } = await beginningOfList(result.list, listBytes, (body) => {
      if (checks) checkAnswer(spec, success, body)
      return serializerOf(spec, success, source)(body)
    })
    return { status: success, headers: told, text, is_cut }
  }
  const { status, body, headers } = result instanceof Answer ? result : new Answer(success, result)
  if (checks) checkAnswer(spec, status, body)
  const text = spec.responses[status] === nothing ? '' : serializerOf(spec, status, source)(body)
  return { status, headers: { ...told, ...headers, ...added }, text, is_cut: false }
}

export const refusedInside = ({ status, detail, headers = {} }: Told, told: Headers): InsideAnswer => ({
  status,
  headers: { ...told, ...headers },
  text: JSON.stringify({ detail }),
  is_cut: false,
})

const isTextual = /^(?:text\/|application\/(?:json|yaml|xml|x-ndjson))/

/** What a file is, and its beginning if it is text: bytes are for HTTP. */
async function fileInside(file: FileAnswer, status: number, told: Headers): Promise<InsideAnswer> {
  const { content_type, size, load, discard } = file.facts
  const facts = { content_type, ...(size === undefined ? {} : { size }) }
  const answer = (body: object, is_cut: boolean): InsideAnswer => ({
    status,
    headers: { ...told, etag: file.etag },
    text: JSON.stringify(body),
    is_cut,
  })
  if (!isTextual.test(content_type)) {
    await discard?.()
    return answer(facts, true)
  }
  const pieces: Uint8Array[] = []
  let length = 0
  const loaded = await load()
  for await (const piece of loaded instanceof Uint8Array ? [loaded] : loaded) {
    pieces.push(piece as Uint8Array)
    length += (piece as Uint8Array).length
    if (length > fileBytes) break
  }
  // A character that was cut in two is left out.
  const text = new TextDecoder().decode(Buffer.concat(pieces).subarray(0, fileBytes), { stream: true })
  return answer({ ...facts, text }, length > fileBytes)
}
