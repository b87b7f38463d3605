import { Refusal } from '@crewhall/contracts/refusal.ts'
import type { AnyRoute, Upload, UploadedFile } from '@crewhall/contracts/route.ts'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hostileText } from '#platform/http/request/hostile-text.ts'
import { invalid } from '#platform/http/request/validate.ts'

/** SYS-G9: room above the largest stated size, so that callers meet the stated refusal and not a bare 413. */
export const uploadSlackBytes = 64 * 1024

export async function registerMultipart(app: FastifyInstance): Promise<void> {
  await app.register(multipart, {
    limits: { files: 1, fields: 10, parts: 20, fieldNameSize: 100, fieldSize: 10_000, headerPairs: 50 },
    throwFileSizeLimit: false,
  })
}

/** Reads the one file of an upload route into memory, never more than its contract allows. */
export async function readUpload(
  spec: AnyRoute,
  upload: Upload,
  request: FastifyRequest,
): Promise<UploadedFile> {
  if (!request.isMultipart()) throw invalid(spec, 'Content-Type must be multipart/form-data')
  try {
    let file: UploadedFile | undefined
    for await (const part of request.parts({ limits: { fileSize: upload.max_bytes + 1 } })) {
      if (part.type !== 'file') continue
      const bytes = await part.toBuffer()
      if (bytes.length > upload.max_bytes) throw upload.too_large()
      if (part.fieldname === upload.field) {
        // A part is a file by its type alone too, and then it has no name.
        const names = { filename: part.filename ?? '', content_type: part.mimetype }
        const hostile = hostileText(names)
        if (hostile) throw invalid(spec, `${hostile}: must not contain NUL or unpaired surrogates`)
        file = { bytes, ...names }
      }
    }
    if (!file) throw upload.missing()
    return file
  } catch (error) {
    // Whatever else goes wrong while the form is read lies in the form: parts, boundary, a cut stream.
    throw error instanceof Refusal ? error : invalid(spec, 'body: not a valid multipart form')
  }
}
