import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  GetBucketLifecycleConfigurationCommand,
  ListObjectVersionsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketVersioningCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createStorage } from '#platform/storage/storage.ts'
import { checkObjects } from './check-objects.ts'

const { s3 } = readServiceFacts()
const Bucket = `objects-${randomUUID()}`
const { access_key_id: accessKeyId, secret_access_key: secretAccessKey } = s3
const admin = new S3Client({
  endpoint: s3.endpoint,
  region: s3.region,
  forcePathStyle: true,
  credentials: { accessKeyId, secretAccessKey },
})
const storage = createStorage({ ...s3, bucket: Bucket, prefix: 'own/', timeout_ms: 20_000 })
let database: TestDatabase
let client: pg.Client
beforeAll(async () => {
  await admin.send(new CreateBucketCommand({ Bucket }))
  const VersioningConfiguration = { Status: 'Enabled' } as const
  await admin.send(new PutBucketVersioningCommand({ Bucket, VersioningConfiguration }))
  database = await cloneDatabase(templateName('product'))
  client = await connect(database, 'superuser')
})
afterAll(async () => {
  await client.end()
  await database.drop()
  const { Versions = [], DeleteMarkers = [] } = await admin.send(new ListObjectVersionsCommand({ Bucket }))
  for (const { Key, VersionId } of [...Versions, ...DeleteMarkers])
    await admin.send(new DeleteObjectCommand({ Bucket, Key, VersionId }))
  await admin.send(new DeleteBucketCommand({ Bucket }))
  admin.destroy()
  storage.close()
})

const named = async (key: string, size: number) => {
  await client.query(
    `insert into boards.attachments (brand_id, card_id, object_key, name, content_type, size, sha256, created_by)
     values (1, gen_random_uuid(), $1, 'a file', 'text/plain', $2, repeat('0', 64), '{}')`,
    [key, size],
  )
}

test('what rows name is compared page by page: what was deleted comes back, the rest is told', async () => {
  // Rows without the cards and workspaces that they belong to.
  await client.query('set session_replication_role = replica')
  const put = (key: string, text: string) =>
    storage.put(outside, key, { bytes: Buffer.from(text), content_type: 'text/plain' })
  // Capitals stand before small letters where bytes are compared, and beside them where people compare.
  for (const key of ['B', 'a', 'b', 'c', 'd', 'z']) await put(key, 'text')
  await put('e', 'old')
  await put('e', 'newer')
  for (const key of ['b', 'e']) await storage.remove(outside, key)
  for (const [key, size] of Object.entries({ B: 4, a: 4, b: 4, c: 5, e: 5, f: 4 })) await named(key, size)
  await client.query(
    `insert into workspaces.member_photos (brand_id, person_id, object_key, content_type, digest)
     values (1, 1, 'd', 'image/png', repeat('0', 64)), (1, 2, 'g', 'image/png', repeat('0', 64))`,
  )
  expect(await checkObjects(client, outside, storage, 2)).toEqual({
    named: 8,
    brought_back: 2,
    faults: 3,
    shown: ['c: 4 bytes, should be 5', 'f', 'g'],
  })
  const found = await Promise.all(['b', 'e'].map((key) => storage.find(outside, key)))
  expect(found.map((object) => Buffer.from(object?.bytes ?? []).toString())).toEqual(['text', 'newer'])
  expect(await checkObjects(client, outside, storage, 2)).toMatchObject({ brought_back: 0, faults: 3 })
})

test('without a storage nothing is said, and nothing fails', async () => {
  expect(await checkObjects(client, outside, createStorage(undefined))).toBeUndefined()
})

test('a storage takes the rules that are shipped for the journal and for older versions', async () => {
  const file = new URL('../../../deploy/production/storage/lifecycle.json', import.meta.url)
  const LifecycleConfiguration = JSON.parse(readFileSync(file, 'utf8'))
  await admin.send(new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration }))
  const { Rules = [] } = await admin.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))
  const kept = Rules.map(({ Expiration, NoncurrentVersionExpiration: older }) => [
    Expiration?.Days,
    older?.NoncurrentDays,
  ])
  expect(kept).toEqual(
    expect.arrayContaining([
      [90, undefined],
      [undefined, 90],
    ]),
  )
})
