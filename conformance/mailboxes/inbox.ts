import { readServiceFacts } from '@crewhall/services/facts.ts'
import { ImapFlow } from 'imapflow'

const { imap, imap_password } = readServiceFacts().mail

/** Subjects of what has arrived in a mailbox, oldest first. */
export async function listSubjects(mailbox: string): Promise<string[]> {
  const client = new ImapFlow({
    host: imap.host,
    port: imap.port,
    secure: false,
    logger: false,
    auth: { user: mailbox, pass: imap_password },
  })
  await client.connect()
  try {
    await client.mailboxOpen('INBOX')
    const subjects: string[] = []
    for await (const { envelope } of client.fetch('1:*', { envelope: true }))
      subjects.push(envelope?.subject ?? '')
    return subjects
  } finally {
    await client.logout()
  }
}
