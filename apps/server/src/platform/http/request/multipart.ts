import { Refusal } from '@crewhall/contracts/refusal.ts'
import type { AnyRoute, SpooledUpload, Upload, UploadedFile } from '@crewhall/contracts/route.ts'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hostileText } from '#platform/http/request/hostile-text.ts'
import { TextCheck } from '#platform/http/request/text-check.ts'
import { invalid } from '#platform/http/request/validate.ts'
import { SpooledFile } from '#platform/http/spooled-file.ts'

/** SYS-G9: room above the largest stated size, so that callers meet the stated refusal and not a bare 413. */
export const uploadSlackBytes = 64 * 1024

export async function registerMultipart(app: FastifyInstance): Promise<void> {
  await app.register(multipart, {
    limits: { files: 1, fields: 10, parts: 20, fieldNameSize: 100, fieldSize: 10_000, headerPairs: 50 },
    throwFileSizeLimit: false,
  })
}

/** The file of an upload route as it arrives, part by part. */
interface Arriving {
  readonly filename: string
  readonly content_type: string
  readonly bytes: AsyncIterable<Uint8Array>
}

/** Reads the one file of an upload route into memory, never more than its contract allows. */
export function readUpload(spec: AnyRoute, upload: Upload, request: FastifyRequest): Promise<UploadedFile> {
  return readFile(spec, upload, request, async ({ bytes, ...names }) => {
    const pieces: Uint8Array[] = []
    for await (const piece of bytes) pieces.push(piece)
    const all = Buffer.concat(pieces)
    return { size: all.length, taken: { bytes: all, ...names }, discard: async () => {} }
  })
}

/** The same into a file without a name: a hundred callers at a time take little memory. */
export function spoolUpload(spec: AnyRoute, upload: Upload, request: FastifyRequest): Promise<SpooledUpload> {
  return readFile(spec, upload, request, async ({ bytes, filename }) => {
    const text = new TextCheck()
    const spooled = await SpooledFile.write(async (file) => {
      for await (const piece of bytes) {
        text.add(piece)
        await file.append(piece)
      }
    }, spoolMemoryBytes)
    const taken = {
      filename,
      size: spooled.bytes,
      digest: spooled.digest,
      head: text.head,
      is_text: text.isText(),
      read: () => spooled.read(),
      discard: () => spooled.discard(),
    }
    return { size: spooled.bytes, taken, discard: taken.discard }
  })
}

const spoolMemoryBytes = 256 * 1024

interface Read<T> {
  readonly size: number
  readonly taken: T
  discard(): Promise<void>
}

async function readFile<T>(
  spec: AnyRoute,
  upload: Upload,
  request: FastifyRequest,
  take: (file: Arriving) => Promise<Read<T>>,
): Promise<T> {
  if (!request.isMultipart()) throw invalid(spec, 'Content-Type must be multipart/form-data')
  let found: Read<T> | undefined
  try {
    for await (const part of request.parts({ limits: { fileSize: upload.max_bytes + 1 } })) {
      if (part.type !== 'file') continue
      // A part is a file by its type alone too, and then it has no name.
      const names = { filename: part.filename ?? '', content_type: part.mimetype }
      const read = await take({ ...names, bytes: part.file })
      const isWanted = part.fieldname === upload.field
      if (isWanted) found = read
      else await read.discard()
      if (read.size > upload.max_bytes) throw upload.too_large()
      const hostile = isWanted && hostileText(names)
      if (hostile) throw invalid(spec, `${hostile}: must not contain NUL or unpaired surrogates`)
    }
    if (!found) throw upload.missing()
    return found.taken
  } catch (error) {
    await found?.discard()
    // Whatever else goes wrong while the form is read lies in the form: parts, boundary, a cut stream.
    throw error instanceof Refusal ? error : invalid(spec, 'body: not a valid multipart form')
  }
}
