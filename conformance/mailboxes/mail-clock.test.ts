import { usePostfix } from '@crewhall/testkit/private/private-postfix.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { createVirtualClock, type VirtualClock } from '@crewhall/testkit/virtual-clock.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  availability,
  type MailPerson,
  newMailPerson,
  newName,
  ownAddress,
  rename,
  renamed,
} from './mail-people.ts'
import { useMailer } from './mailer.ts'

const server = useServer('product')
const postfix = usePostfix(server)
const mailer = useMailer(postfix)
const get = (path: string, init?: RequestInit) => server.get(path, init)
const refused = { code: 550, command: 'RCPT TO' }
const notAvailable = { status: 409, body: { detail: 'This Crewhall address is not available' } }
const minute = 60_000
const day = 24 * 60 * minute
let clock: VirtualClock
beforeAll(() => {
  clock = createVirtualClock(server.database.name)
})
afterAll(() => clock?.close())

const addressOf = async (person: MailPerson) => String((await ownAddress(get, person)).body.address)
const mailboxOf = ({ person_id }: MailPerson) => postfix.mailboxOf(person_id)
const nameIn = (address: string) => address.replace('@mail.test', '')

test('MAIL-17, MAIL-18: the old address takes mail for 30 days and is refused after them', async () => {
  const ann = await newMailPerson(get)
  const old = await addressOf(ann)
  const { address } = await renamed(get, ann, newName())
  await clock.advance(30 * day - minute)
  expect(await mailer.deliveries([old, address], mailboxOf(ann))).toEqual({ [old]: 1, [address]: 1 })
  await clock.advance(minute)
  expect(await mailer.refusal(old)).toEqual(refused)
  expect(await mailer.deliveries([address], mailboxOf(ann))).toEqual({ [address]: 1 })
  expect((await ownAddress(get, ann)).body).toEqual({ address, can_rename: true, forwarding: [] })
})

test('MAIL-G5: each earlier address stops at its own date, and none lives longer by a later rename', async () => {
  const ann = await newMailPerson(get)
  const first = await addressOf(ann)
  const second = (await renamed(get, ann, newName())).address
  await clock.advance(20 * day)
  const third = (await renamed(get, ann, newName())).address
  expect(await mailer.deliveries([first, second, third], mailboxOf(ann))).toEqual({
    [first]: 1,
    [second]: 1,
    [third]: 1,
  })
  await clock.advance(10 * day)
  expect(await mailer.refusal(first)).toEqual(refused)
  expect(await mailer.deliveries([second, third], mailboxOf(ann))).toEqual({ [second]: 1, [third]: 1 })
  await clock.advance(20 * day)
  expect(await mailer.refusal(second)).toEqual(refused)
  expect(await mailer.deliveries([third], mailboxOf(ann))).toEqual({ [third]: 1 })
})

test('MAIL-G8: a rename back ends the date of that address, and starts the one of the address left', async () => {
  const ann = await newMailPerson(get)
  const old = await addressOf(ann)
  const { address } = await renamed(get, ann, newName())
  await clock.advance(29 * day)
  await renamed(get, ann, nameIn(old))
  await clock.advance(2 * day)
  expect(await mailer.deliveries([old, address], mailboxOf(ann))).toEqual({ [old]: 1, [address]: 1 })
  await clock.advance(28 * day)
  expect(await mailer.refusal(address)).toEqual(refused)
  expect(await mailer.deliveries([old], mailboxOf(ann))).toEqual({ [old]: 1 })
})

test('MAIL-18, MAIL-19: for 335 days more the old name takes no mail and is nobody else’s to have', async () => {
  const [ann, bert] = [await newMailPerson(get), await newMailPerson(get)]
  const old = await addressOf(ann)
  const name = nameIn(old)
  await renamed(get, ann, newName())
  for (const wait of [30 * day, 335 * day - minute]) {
    await clock.advance(wait)
    expect(await mailer.refusal(old)).toEqual(refused)
    expect((await availability(get, bert, name)).body.available).toBe(false)
    expect(await rename(get, bert, { name })).toEqual(notAvailable)
    expect((await availability(get, ann, name)).body.available).toBe(true)
  }
  await clock.advance(minute)
  expect((await availability(get, bert, name)).body.available).toBe(true)
  await renamed(get, bert, name)
  expect(await mailer.deliveries([old], mailboxOf(bert))).toEqual({ [old]: 1 })
  expect(await rename(get, ann, { name })).toEqual(notAvailable)
})

test('MAIL-G8: a quarantined name goes back to the one who had it, and takes mail again', async () => {
  const ann = await newMailPerson(get)
  const old = await addressOf(ann)
  const { address } = await renamed(get, ann, newName())
  await clock.advance(200 * day)
  expect(await mailer.refusal(old)).toEqual(refused)
  await renamed(get, ann, nameIn(old))
  expect(await mailer.deliveries([old, address], mailboxOf(ann))).toEqual({ [old]: 1, [address]: 1 })
})

test('names that are free again are forgotten, and no others', async () => {
  const isKept = async (address: string) =>
    (await server.sql('select from mailboxes.names where name = $1', [nameIn(address)])).length === 1
  const ann = await newMailPerson(get)
  const free = await addressOf(ann)
  const quarantined = (await renamed(get, ann, newName())).address
  await clock.advance(200 * day)
  const current = (await renamed(get, ann, newName())).address
  const worker = await server.start('worker', clock.env)
  await clock.advance(166 * day)
  await waitFor(async () => !(await isKept(free)), 20_000)
  expect([await isKept(quarantined), await isKept(current)]).toEqual([true, true])
  await worker.stop()
})
