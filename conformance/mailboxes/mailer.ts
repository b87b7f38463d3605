import { randomUUID } from 'node:crypto'
import { outside } from '@crewhall/testkit/outside.ts'
import type { PrivatePostfix } from '@crewhall/testkit/private/private-postfix.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll } from 'vitest'
import { createMail, type Mail } from '../../apps/server/src/platform/mail/mail.ts'
import { listSubjects } from './inbox.ts'

export interface Mailer {
  /** Sends a message to each address, waits for all of them in the mailbox, and tells how often each came. */
  deliveries(addresses: readonly string[], mailbox: string): Promise<Record<string, number>>
  /** Sends a message that must not be taken. Tells at which command it was refused, and with which code. */
  refusal(address: string): Promise<{ code: number; command: string } | 'taken'>
}

/** Somebody outside who writes to people through the project's Postfix. */
export function useMailer(postfix: PrivatePostfix): Mailer {
  let mail: Mail
  beforeAll(() => {
    mail = createMail({ url: postfix.smtp_url, from: 'Sender <sender@example.test>', timeout_ms: 10_000 })
  })
  afterAll(() => mail?.close())
  const send = (to: string, subject: string) =>
    mail.send(outside, { to, subject, text: 'Hello', html: '<p>Hello</p>' })
  return {
    async deliveries(addresses, mailbox) {
      const sent = addresses.map((address) => ({ address, subject: randomUUID() }))
      for (const { address, subject } of sent) await send(address, subject)
      const subjects = await waitFor(async () => {
        const found = await listSubjects(mailbox)
        return sent.every(({ subject }) => found.includes(subject)) && found
      }, 20_000)
      return Object.fromEntries(
        sent.map(({ address, subject }) => [address, subjects.filter((each) => each === subject).length]),
      )
    },
    refusal: (address) =>
      send(address, 'not to be taken').then(
        () => 'taken' as const,
        ({ cause }: { cause: { responseCode: number; command: string } }) => ({
          code: cause.responseCode,
          command: cause.command,
        }),
      ),
  }
}
