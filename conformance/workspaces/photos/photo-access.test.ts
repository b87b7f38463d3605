import { formOf } from '@crewhall/testkit/people.ts'
import { png } from '@crewhall/testkit/pictures/picture-png.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { describe, expect, test } from 'vitest'
import { type Admin, photoPath, usePhotos } from './photo-workspace.ts'

const server = useSharedServer('product')
const photos = usePhotos(server)
const picture = () => png({ width: 30, height: 20, fill: [200, 100, 50] })
const noMember = { status: 404, body: { detail: 'Member not found' } }

const call = (method: string, path: string, token: string) =>
  photos.at.call({ token }, method, path, method === 'POST' ? formOf('file', picture()) : undefined)
const audited = (brand_id: number) =>
  photos.at.sql<{ action: string; target: string; from: unknown; to: unknown }>(
    `select action, target, old_value as from, new_value as to from platform.audit_entries
     where brand_id = $1 order by id`,
    [brand_id],
  )
/** Ids that are nobody's membership here: a stranger, a former member, a member of another workspace, nothing. */
async function nonMembers(by: Admin): Promise<(number | string)[]> {
  const stranger = await photos.at.newPerson()
  const former = await photos.at.join(by.brand_id, 'member')
  await photos.at.sql(
    `update identity.memberships set status = 'removed', removed_at = now() where brand_id = $1 and person_id = $2`,
    [by.brand_id, former.person_id],
  )
  const other = await photos.newAdmin()
  await photos.upload({ by: other, bytes: picture() })
  return [stranger, former.person_id, other.person_id, 2_147_483_647, 2_147_483_648, 0, -1, 'x']
}

test.each(['GET', 'POST', 'DELETE'])(
  'MBR-10: %s answers 404 alike for whoever is not an active member',
  async (method) => {
    const by = await photos.newAdmin()
    for (const id of await nonMembers(by)) {
      const path = `/api/v1/brands/${by.brand_id}/members/${id}/photo`
      expect([id, await call(method, path, by.token)]).toEqual([id, noMember])
    }
    expect(await photos.objects(by.brand_id)).toEqual([])
  },
)

test('a file of a wrong type is refused before the member is looked for', async () => {
  const by = await photos.newAdmin()
  const sent = { by, of: 2_000_000_000, bytes: Buffer.from('words') }
  expect((await photos.upload(sent)).status).toBe(400)
})

describe('who may', () => {
  test('a member sees pictures with brand:read and changes none', async () => {
    const by = await photos.newAdmin()
    await photos.upload({ by, bytes: picture() })
    const member = await photos.at.join(by.brand_id, 'member')
    const token = await photos.at.newToken(member, ['brand:read', 'brand:admin'])
    expect((await server.get(photoPath(by), { headers: bearer(token) })).status).toBe(200)
    for (const method of ['POST', 'DELETE']) {
      const refused = { status: 403, body: { detail: 'Brand admin access required' } }
      expect(await call(method, photoPath(by), token)).toEqual(refused)
      // Not even their own.
      expect(await call(method, photoPath(member), token)).toEqual(refused)
    }
  })

  test('a token without the scope neither sees nor changes one', async () => {
    const by = await photos.newAdmin()
    const token = await photos.at.newToken(by, ['memory:read'])
    for (const method of ['GET', 'POST', 'DELETE']) {
      expect((await call(method, photoPath(by), token)).status).toBe(403)
    }
  })

  test('an admin changes the picture of a member', async () => {
    const by = await photos.newAdmin()
    const { person_id } = await photos.at.join(by.brand_id, 'member')
    const { status, body } = await photos.upload({ by, of: person_id, bytes: picture() })
    expect([status, String(body.photo)]).toEqual([
      200,
      expect.stringContaining(`/members/${person_id}/photo?v=`),
    ])
  })

  test('nobody is told what is wrong with a file before they are let in', async () => {
    const by = await photos.newAdmin()
    const form = formOf('file', Buffer.alloc(5_242_881))
    const response = await server.get(photoPath(by), { method: 'POST', body: form })
    expect(response.status).toBe(401)
  })
})

test('a person of two workspaces has a picture in each, and an admin of one cannot change the other', async () => {
  const [one, two] = [await photos.newAdmin(), await photos.newAdmin()]
  await photos.at.join(two.brand_id, 'member', one.person_id)
  await photos.upload({ by: one, bytes: picture() })
  expect(await call('GET', photoPath(two, one.person_id), two.token)).toEqual({
    status: 404,
    body: { detail: 'Photo not found' },
  })
  await photos.upload({ by: two, of: one.person_id, bytes: png({ width: 9, height: 9 }) })
  await photos.remove(two, one.person_id)
  expect((await server.get(photoPath(one), { headers: bearer(one.token) })).status).toBe(200)
  expect(await call('GET', photoPath(one), two.token)).toEqual({
    status: 404,
    body: { detail: 'Brand not found' },
  })
})

test('each change writes an audit entry, and a refused or empty one writes none', async () => {
  const by = await photos.newAdmin()
  const first = (await photos.upload({ by, bytes: picture() })).body.photo
  const second = (await photos.upload({ by, bytes: png({ width: 9, height: 9 }) })).body.photo
  await photos.upload({ by, bytes: Buffer.from('words') })
  await photos.remove(by)
  await photos.remove(by)
  const target = `member:${by.person_id}`
  expect(await audited(by.brand_id)).toEqual([
    { action: 'member.photo_changed', target, from: null, to: first },
    { action: 'member.photo_changed', target, from: first, to: second },
    { action: 'member.photo_removed', target, from: second, to: null },
  ])
})
