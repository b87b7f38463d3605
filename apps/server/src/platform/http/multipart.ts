import type { AnyRoute, Upload, UploadedFile } from '@crewhall/contracts/route.ts'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { invalid } from '#platform/http/validate.ts'

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
        file = { bytes, filename: part.filename, content_type: part.mimetype }
      }
    }
    if (!file) throw upload.missing()
    return file
  } catch (error) {
    throw isMultipartFault(error) ? invalid(spec, 'body: not a valid multipart form') : error
  }
}

/** Faults of the form itself: too many parts, a cut stream, a missing boundary. */
function isMultipartFault(error: unknown): boolean {
  if (!(error instanceof Error) || error.name === 'Refusal') return false
  const code = 'code' in error ? String(error.code) : ''
  return (
    code.startsWith('FST_') || /multipart|boundary|unexpected end of form|malformed part/i.test(error.message)
  )
}
