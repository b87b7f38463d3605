import type { InboxKind, InboxSubject } from '@crewhall/contracts/inbox/inbox.ts'
import { type Sender, writeLetter } from '#platform/letter/letter.ts'
import { oneLine } from '#platform/letter/one-line.ts'

interface Told {
  readonly kind: InboxKind
  readonly subject_kind: InboxSubject
  readonly ref: string | null
  readonly title: string
}
interface Digest {
  readonly email: string
  readonly full_name: string
  readonly brand_name: string
  readonly entries: readonly Told[]
  /** All of them, also those that are not named; counted up to `most`. */
  readonly count: number
  readonly most: number
  readonly unsubscribe_url: string
}

const words: Record<InboxKind, string> = {
  asks_you: 'Asks you',
  review_wanted: 'Wants a review',
  broke: 'Broke',
  mentioned: 'Mentions you',
  assigned: 'Assigned to you',
}

/** Titles and nothing else: what people write into cards stays behind the sign-in. */
export function inboxLetter(digest: Digest, sender: Sender) {
  const { email, full_name, entries, count, most, unsubscribe_url } = digest
  const brand = oneLine(digest.brand_name)
  const more = count - entries.length
  const orMore = count >= most ? ' or more' : ''
  return writeLetter(
    {
      to: email,
      subject: `${count}${orMore} new in your inbox of ${brand}`,
      name: full_name,
      lines: [
        `This is new and unread in your inbox of the workspace ${brand}:`,
        ...entries.map(lineOf),
        ...(more > 0 ? [`And ${more}${orMore} more.`] : []),
      ],
      action: { label: 'Open your inbox', url: `${sender.public_url}/dashboard/inbox` },
      unexpected: 'You get this e-mail because you asked for it in the settings of your inbox.',
      unsubscribe_url,
    },
    sender,
  )
}

/** Events outside boards have their type for a title, such as `desk.update_failed`. */
function lineOf({ kind, subject_kind, ref, title }: Told): string {
  const name = subject_kind === 'task' ? title : title.replace(/[._]/g, ' ')
  return `${words[kind]}: ${ref === null ? '' : `${ref} `}${oneLine(name)}`
}
