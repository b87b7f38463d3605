import { otherBrand } from '@crewhall/contracts/identity/refusals.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect, test } from 'vitest'

const server = useSharedServer('product')
const at = new World(server)
const refused = { status: 409, body: { detail: otherBrand.text } }
const meant = (brand_id: number) => ({ 'x-expected-brand': String(brand_id) })

async function newPerson() {
  const [first, second] = [await at.newBrand(), await at.newBrand()]
  const { person_id } = await at.join(first, 'admin')
  await at.join(second, 'admin', person_id)
  const cookie = await at.newCookie(person_id, first)
  const boardsIn = async (brand_id: number) =>
    (await at.sql<{ name: string }>('select name from boards.boards where brand_id = $1', [brand_id])).map(
      ({ name }) => name,
    )
  return { first, second, person_id, cookie, boardsIn }
}

test('a request that names another workspace than its session acts for does nothing', async () => {
  const { first, second, cookie, boardsIn } = await newPerson()
  const add = (brand_id: number, key: string) =>
    at.call({ cookie }, 'POST', '/api/v1/board/boards', { name: key, key }, meant(brand_id))
  expect((await add(first, 'AAA')).status).toBe(201)
  expect(await add(second, 'BBB')).toEqual(refused)
  expect(await at.call({ cookie }, 'GET', '/api/v1/board/boards', undefined, meant(second))).toEqual(refused)
  // The caller is remembered by now; after a switch what was refused is done, and what was done is refused.
  await at.made({ cookie }, 'PUT', '/api/v1/me/brand', { brand_id: second })
  expect(await add(first, 'CCC')).toEqual(refused)
  expect((await add(second, 'DDD')).status).toBe(201)
  expect([await boardsIn(first), await boardsIn(second)]).toEqual([['AAA'], ['DDD']])
  // Before what the path names, so that a page learns why.
  const members = `/api/v1/brands/${first}/members`
  expect(await at.call({ cookie }, 'GET', members, undefined, meant(first))).toEqual(refused)
})

test('the same holds for tokens, for a person without a workspace and for a value that is no number', async () => {
  const { first, second, person_id } = await newPerson()
  const token = await at.newToken({ brand_id: first, person_id })
  const list = (by: Parameters<typeof at.call>[0], headers: Record<string, string>) =>
    at.call(by, 'GET', '/api/v1/board/boards', undefined, headers)
  expect((await list({ token }, meant(first))).status).toBe(200)
  expect(await list({ token }, meant(second))).toEqual(refused)
  for (const value of ['', ' ', 'x', `0${first}`, `${first}, ${first}`])
    expect(await list({ token }, { 'x-expected-brand': value })).toEqual(refused)
  const cookie = await at.newCookie(await at.newPerson(), null)
  expect(await list({ cookie }, meant(first))).toEqual(refused)
  expect(await list(null, meant(first))).toMatchObject({ status: 401 })
})
