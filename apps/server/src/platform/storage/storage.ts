import { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import type { Outside } from '#platform/ctx/outside.ts'
import { SpooledFile } from '#platform/http/spooled-file.ts'
import { Outage } from '#platform/outage/outage.ts'

export interface StorageOptions {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  /** Prefix of every key, so that installations can share a bucket. */
  readonly prefix: string
  readonly access_key_id: string
  readonly secret_access_key: string
  readonly timeout_ms: number
}

export interface StoredObject {
  readonly bytes: Uint8Array
  readonly content_type: string
}

/** An object that is not held in memory. */
export interface StoredFile {
  readonly content_type: string
  readonly size: number
  /** SHA-256, in hexadecimal digits. */
  readonly digest: string
  read(): Uint8Array | AsyncIterable<Uint8Array>
}

export interface ListedObject {
  readonly key: string
  readonly size: number
  /** By the clock of the storage. */
  readonly modified_at: Date
}

export interface Storage {
  readonly is_configured: boolean
  put(outside: Outside, key: string, object: StoredObject): Promise<void>
  find(outside: Outside, key: string): Promise<StoredObject | undefined>
  putFile(outside: Outside, key: string, file: StoredFile): Promise<void>
  /** Fetched at once, to be taken as slowly as the caller likes: nobody holds a connection to the storage. */
  findFile(outside: Outside, key: string, size: number): Promise<SpooledFile | undefined>
  remove(outside: Outside, key: string): Promise<void>
  /** At most `limit` objects (1,000 or fewer), by key, after the given one. */
  list(
    outside: Outside,
    prefix: string,
    options?: { after?: string; limit?: number },
  ): Promise<ListedObject[]>
  /** Makes the newest version of a deleted object current again, where the bucket keeps versions. Says whether there was one. */
  bringBack(outside: Outside, key: string): Promise<boolean>
  close(): void
}

export function createStorage(options: StorageOptions | undefined): Storage {
  if (!options) return absent
  const { bucket: Bucket, prefix: own, timeout_ms } = options
  const client = new S3Client({
    endpoint: options.endpoint,
    region: options.region,
    forcePathStyle: true,
    credentials: { accessKeyId: options.access_key_id, secretAccessKey: options.secret_access_key },
    maxAttempts: 2,
    requestHandler: {
      connectionTimeout: timeout_ms,
      requestTimeout: timeout_ms,
      throwOnRequestTimeout: true,
    },
  })
  return {
    is_configured: true,
    put: (_, key, { bytes, content_type }) =>
      withinLimit(timeout_ms, async (limit) => {
        const put = new PutObjectCommand({ Bucket, Key: own + key, Body: bytes, ContentType: content_type })
        await client.send(put, limit)
      }),
    putFile: (_, key, { content_type, size, digest, read }) =>
      withinLimit(limitFor(size, timeout_ms), async (limit) => {
        const bytes = read()
        const put = new PutObjectCommand({
          Bucket,
          Key: own + key,
          Body: bytes instanceof Uint8Array ? bytes : Readable.from(bytes),
          ContentLength: size,
          ContentType: content_type,
          // Known already, so that nothing is computed and sent after the body, which some storages do not take.
          ChecksumSHA256: Buffer.from(digest, 'hex').toString('base64'),
        })
        await client.send(put, limit)
      }),
    findFile: (_, key, size) =>
      withinLimit(limitFor(size, timeout_ms), async (limit) => {
        try {
          const get = new GetObjectCommand({ Bucket, Key: own + key })
          const { Body } = await client.send(get, limit)
          return await SpooledFile.write(async (file) => {
            for await (const piece of (Body ?? []) as AsyncIterable<Uint8Array>) await file.append(piece)
          }, fileMemoryBytes)
        } catch (error) {
          if (error instanceof NoSuchKey) return undefined
          throw error
        }
      }),
    find: (_, key) =>
      withinLimit(timeout_ms, async (limit) => {
        try {
          const get = new GetObjectCommand({ Bucket, Key: own + key })
          const { Body, ContentType } = await client.send(get, limit)
          return {
            bytes: (await Body?.transformToByteArray()) ?? new Uint8Array(),
            content_type: ContentType ?? 'application/octet-stream',
          }
        } catch (error) {
          if (error instanceof NoSuchKey) return undefined
          throw error
        }
      }),
    remove: (_, key) =>
      withinLimit(timeout_ms, async (limit) => {
        await client.send(new DeleteObjectCommand({ Bucket, Key: own + key }), limit)
      }),
    list: (_, prefix, { after, limit: MaxKeys = 1000 } = {}) =>
      withinLimit(timeout_ms, async (limit) => {
        const from = after ? { StartAfter: own + after } : {}
        const list = new ListObjectsV2Command({ Bucket, Prefix: own + prefix, MaxKeys, ...from })
        const { Contents = [] } = await client.send(list, limit)
        return Contents.flatMap(({ Key, LastModified, Size = 0 }) =>
          Key && LastModified ? { key: Key.slice(own.length), size: Size, modified_at: LastModified } : [],
        )
      }),
    bringBack: (_, key) =>
      withinLimit(timeout_ms, async (limit) => {
        const Key = own + key
        // Of one key the newest comes first; the marks of deletions are listed apart.
        const list = new ListObjectVersionsCommand({ Bucket, Prefix: Key, MaxKeys: 100 })
        const { Versions = [] } = await client.send(list, limit)
        const version = Versions.find((each) => each.Key === Key)?.VersionId
        if (!version) return false
        const CopySource = `${Bucket}/${encodeURIComponent(Key)}?versionId=${version}`
        await client.send(new CopyObjectCommand({ Bucket, Key, CopySource }), limit)
        return true
      }),
    close: () => client.destroy(),
  }
}

const fileMemoryBytes = 256 * 1024
/** The limit of a request is for small objects; each further 4 MB may take as long again. */
const limitFor = (size: number, timeoutMs: number): number => timeoutMs * (1 + Math.floor(size / 4_194_304))

const refuse = async (): Promise<never> => {
  throw new Outage('storage', 'not_configured')
}

const absent: Storage = {
  is_configured: false,
  put: refuse,
  find: refuse,
  putFile: refuse,
  findFile: refuse,
  remove: refuse,
  list: refuse,
  bringBack: refuse,
  close: () => {},
}

/**
 * The limit holds for the whole call: the second attempt and the last byte of the body included, for which
 * the limits of the request itself do not.
 */
async function withinLimit<T>(
  limitMs: number,
  work: (limit: { abortSignal: AbortSignal }) => Promise<T>,
): Promise<T> {
  const abortSignal = AbortSignal.timeout(limitMs)
  const late = new Promise<never>((_, reject) => {
    abortSignal.addEventListener('abort', () => reject(abortSignal.reason), { once: true })
  })
  try {
    return await Promise.race([work({ abortSignal }), late])
  } catch (error) {
    const isLate = abortSignal.aborted || isTimeout(error)
    throw new Outage('storage', isLate ? 'timeout' : 'unreachable', { cause: error })
  }
}

/** The client also reports a reset connection as a timeout. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error &&
  error.name === 'TimeoutError' &&
  !('code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE'))
