import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { Outage } from '#platform/outage/outage.ts'

export interface StorageOptions {
  readonly endpoint: string
  readonly region: string
  readonly bucket: string
  readonly access_key_id: string
  readonly secret_access_key: string
  readonly timeout_ms: number
}

export interface StoredObject {
  readonly bytes: Uint8Array
  readonly content_type: string
}

export interface Storage {
  put(key: string, object: StoredObject): Promise<void>
  find(key: string): Promise<StoredObject | undefined>
  remove(key: string): Promise<void>
  /** At most 1,000 keys, in order, after the given one. */
  list(prefix: string, after?: string): Promise<string[]>
  close(): void
}

export function createStorage(options: StorageOptions | undefined): Storage {
  if (!options) return absent
  const { bucket: Bucket, timeout_ms } = options
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
    async put(Key, { bytes, content_type }) {
      await named(client.send(new PutObjectCommand({ Bucket, Key, Body: bytes, ContentType: content_type })))
    },
    find: (Key) =>
      named(
        client.send(new GetObjectCommand({ Bucket, Key })).then(
          async ({ Body, ContentType }) => ({
            bytes: (await Body?.transformToByteArray()) ?? new Uint8Array(),
            content_type: ContentType ?? 'application/octet-stream',
          }),
          (error: unknown) => {
            if (error instanceof NoSuchKey) return undefined
            throw error
          },
        ),
      ),
    async remove(Key) {
      await named(client.send(new DeleteObjectCommand({ Bucket, Key })))
    },
    async list(Prefix, StartAfter) {
      const page = await named(
        client.send(new ListObjectsV2Command({ Bucket, Prefix, ...(StartAfter ? { StartAfter } : {}) })),
      )
      return (page.Contents ?? []).flatMap(({ Key }) => Key ?? [])
    },
    close: () => client.destroy(),
  }
}

const refuse = async (): Promise<never> => {
  throw new Outage('storage', 'not_configured')
}

const absent: Storage = { put: refuse, find: refuse, remove: refuse, list: refuse, close: () => {} }

async function named<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const late = error instanceof Error && /timeout/i.test(`${error.name} ${error.message}`)
    throw new Outage('storage', late ? 'timeout' : 'unreachable', { cause: error })
  }
}
