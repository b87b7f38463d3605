import { connectTo } from '@crewhall/testkit/databases.ts'
import { usePostfix } from '@crewhall/testkit/private/private-postfix.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type MailPerson, newMailPerson, newName, ownAddress, renamed } from './mail-people.ts'
import { useMailer } from './mailer.ts'

const server = useServer('product')
const postfix = usePostfix(server)
const mailer = useMailer(postfix)
const get = (path: string, init?: RequestInit) => server.get(path, init)
const refused = { code: 550, command: 'RCPT TO' }

const addressOf = async (person: MailPerson) => String((await ownAddress(get, person)).body.address)
const mailboxOf = ({ person_id }: MailPerson) => postfix.mailboxOf(person_id)

describe('mail', () => {
  test('MAIL-01: to the address that a person has from the start arrives', async () => {
    const ann = await newMailPerson(get)
    const address = await addressOf(ann)
    expect(await mailer.deliveries([address], mailboxOf(ann))).toEqual({ [address]: 1 })
  })

  test('MAIL-17: to the old and to the new address arrives in one mailbox, from the next message on', async () => {
    const ann = await newMailPerson(get)
    const name = newName()
    const old = await addressOf(ann)
    expect(await mailer.refusal(`${name}@mail.test`)).toEqual(refused)
    await renamed(get, ann, name)
    const both = [old, `${name}@mail.test`]
    expect(await mailer.deliveries(both, mailboxOf(ann))).toEqual({ [old]: 1, [`${name}@mail.test`]: 1 })
  })

  test('MAIL-G5: to every earlier address reaches the newest one straight, once each', async () => {
    const ann = await newMailPerson(get)
    const addresses = [await addressOf(ann)]
    for (let turn = 0; turn < 2; turn += 1) addresses.push((await renamed(get, ann, newName())).address)
    const counts = await mailer.deliveries(addresses, mailboxOf(ann))
    expect(counts).toEqual(Object.fromEntries(addresses.map((address) => [address, 1])))
  })

  test('MAIL-G8: after a rename back both addresses arrive once each: nothing runs in a circle', async () => {
    const ann = await newMailPerson(get)
    const old = await addressOf(ann)
    const { address } = await renamed(get, ann, newName())
    await renamed(get, ann, old.replace('@mail.test', ''))
    expect(await mailer.deliveries([old, address], mailboxOf(ann))).toEqual({ [old]: 1, [address]: 1 })
  })

  test('MAIL-17, MAIL-24: to one person’s addresses never reaches another person', async () => {
    const [ann, bert] = [await newMailPerson(get), await newMailPerson(get)]
    const old = await addressOf(ann)
    await renamed(get, ann, newName())
    await renamed(get, bert, newName())
    await mailer.deliveries([old, await addressOf(ann)], mailboxOf(ann))
    const of_bert = await addressOf(bert)
    expect(await mailer.deliveries([of_bert], mailboxOf(bert))).toEqual({ [of_bert]: 1 })
  })

  test('arrives whatever the case of the letters in the address', async () => {
    const ann = await newMailPerson(get)
    const shouted = (await addressOf(ann)).toUpperCase()
    expect(await mailer.deliveries([shouted], mailboxOf(ann))).toEqual({ [shouted]: 1 })
  })

  test('MAIL-G4: to postmaster and abuse arrives at the operator', async () => {
    const roles = ['postmaster@mail.test', 'abuse@mail.test']
    expect(await mailer.deliveries(roles, postfix.operator_mailbox)).toEqual(
      Object.fromEntries(roles.map((address) => [address, 1])),
    )
  })
})

describe('the mail server refuses before it takes the message', () => {
  test.for(['nobody-has-this', 'hostmaster', `x'or'1'='1`, '_', 'a\\b'])(
    'the name %s that nobody has',
    async (name) => {
      expect(await mailer.refusal(`${name}@mail.test`)).toEqual(refused)
    },
  )

  test.for(['ann@example.org', 'ann%example.org@mail.test', 'example.org!ann@mail.test'])(
    'a way to other domains, %s: it is no relay',
    async (address) => {
      const answer = await mailer.refusal(address)
      expect(answer).toMatchObject({ code: expect.toBeOneOf([550, 554]), command: 'RCPT TO' })
    },
  )

  test('the mailbox of a person by its inner name, past the addresses', async () => {
    const ann = await newMailPerson(get)
    expect(await mailer.refusal(mailboxOf(ann))).toEqual({ code: 554, command: 'RCPT TO' })
  })
})

describe('the role of the mail server', () => {
  async function asMailServer(sql: string) {
    const client = await connectTo(postfix.database_url)
    onTestFinished(() => client.end())
    return client.query(sql)
  }

  test('reads which names take mail', async () => {
    const ann = await newMailPerson(get)
    const name = newName()
    await renamed(get, ann, name)
    const { rows } = await asMailServer(`select * from mailboxes.deliveries where name = '${name}'`)
    expect(rows).toEqual([{ name, mailbox: String(ann.person_id) }])
  })

  test.for([
    'select * from mailboxes.names',
    'select * from mailboxes.mailboxes',
    'select * from identity.people',
    'select * from identity.tokens',
    'delete from mailboxes.deliveries',
    'select platform.is_system()',
    'create table mailboxes.mine (id int)',
  ])('and can do nothing else: %s', async (sql) => {
    await expect(asMailServer(sql)).rejects.toMatchObject({ code: expect.stringMatching(/^(42501|55000)$/) })
  })
})
