import { readServiceFacts } from '@crewhall/services/facts.ts'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { usePostfix } from '@crewhall/testkit/private/private-postfix.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newMailPerson, newName, ownAddress } from './mail-people.ts'
import { useMailer } from './mailer.ts'

const server = useSharedServer('product')
let proxy: FaultProxy
beforeAll(async () => {
  proxy = await startFaultProxy(readServiceFacts().postgres)
})
const postfix = usePostfix(server, (url) => proxy.through(url))
const mailer = useMailer(postfix)
afterAll(() => proxy?.close())
const get = (path: string, init?: RequestInit) => server.get(path, init)

test('while the database is away, senders are asked to come back; nobody is told that a name is unknown', async () => {
  const ann = await newMailPerson(get)
  const address = String((await ownAddress(get, ann)).body.address)
  expect(await mailer.deliveries([address], postfix.mailboxOf(ann.person_id))).toEqual({ [address]: 1 })
  proxy.set({ kind: 'reset' })
  const later = { code: 451, command: 'RCPT TO' }
  expect(await mailer.refusal(address)).toEqual(later)
  expect(await mailer.refusal(`${newName()}@mail.test`)).toEqual(later)
})
