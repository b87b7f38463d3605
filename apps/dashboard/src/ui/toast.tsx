import { toast } from 'sonner'
import { problemOf } from '../api/problem.ts'
import { RequestId } from './states.tsx'

interface Offer {
  readonly label: string
  readonly onClick: () => void
}

export function say(text: string, more: { readonly note?: string; readonly offer?: Offer } = {}): void {
  // What is offered has to be read first.
  toast(text, { description: more.note, action: more.offer, ...(more.offer ? { duration: 10_000 } : {}) })
}

/** A write that failed: what, in the words of the server, and what may be done about it. */
export function sayFailed(what: string, error: unknown, offer?: Offer): void {
  const { text, request_id, is_unchanged, kind } = problemOf(error)
  const shown = kind === 'bug' || kind === 'outage' || kind === 'offline'
  toast.error(what, {
    description: (
      <>
        <span className="block">
          {text}
          {/[.!?]$/.test(text) ? '' : '.'} {is_unchanged ? 'Nothing was changed.' : ''}
        </span>
        {shown && request_id !== undefined && <RequestId id={request_id} />}
      </>
    ),
    action: offer,
    duration: 10_000,
  })
}
