import type { Delivery } from '@crewhall/contracts/webhooks/deliveries.ts'
import type { Webhook } from '@crewhall/contracts/webhooks/webhooks.ts'
import { CircleCheck, CircleX, Pause } from 'lucide-react'
import { clockTime, dayTold } from '../../../app/times.ts'
import { Pill } from '../../../ui/pill.tsx'

export const errorWords: Readonly<Record<NonNullable<Delivery['last_error']>, string>> = {
  address: 'The address does not lead to the public Internet.',
  unresolved: 'The name of the host does not resolve.',
  unreachable: 'The host cannot be reached.',
  tls: 'The connection could not be encrypted.',
  timeout: 'The receiver took too long to respond.',
  protocol: 'The receiver did not respond in HTTP.',
  answer: 'The receiver returned a status other than 2xx.',
  redirect: 'The receiver redirected; redirects are not followed.',
  gone: 'The receiver returned 410, which unsubscribes it.',
  secret: 'The secret cannot be decrypted since the key of the installation changed. Rotate it.',
  expired: 'The receiver was down or paused for too long.',
  restored: 'It may have been sent before the installation was restored from a backup.',
}

export function WebhookState({ hook, now }: { readonly hook: Webhook; readonly now: number }) {
  if (hook.disabled_reason === 'gone')
    return (
      <Pill tone="bad" icon={CircleX}>
        Unsubscribed
      </Pill>
    )
  if (!hook.enabled)
    return (
      <Pill tone="idle" icon={Pause}>
        Paused
      </Pill>
    )
  if (hook.failing_since !== null)
    return (
      <Pill tone="bad" icon={CircleX}>
        Failing since {momentTold(hook.failing_since, now)}
      </Pill>
    )
  return (
    <Pill tone="ok" icon={CircleCheck}>
      Delivering
    </Pill>
  )
}

/** `12:04` today, else `12 Nov, 12:04`. */
export function momentTold(at: string, now: number): string {
  const [day, today] = [dayTold(at, now), dayTold(new Date(now).toISOString(), now)]
  const time = clockTime(Date.parse(at))
  return day === today ? time : `${day}, ${time}`
}

/** `84 ms`, `5.1 s`, `36 min`, `75 h`. */
export function spanTold(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  if (ms < 60 * 60_000) return `${Math.round(ms / 60_000)} min`
  return `${Math.round(ms / (60 * 60_000))} h`
}

/** When the next try is, or how the last one ended, in a few words. */
export function lastOf(delivery: Delivery, now: number): string {
  const { status, next_attempt_at, last_status, last_error, delivered_at, created_at } = delivery
  if (status === 'pending') {
    const left = next_attempt_at === null ? 0 : Date.parse(next_attempt_at) - now
    return left < 1000 ? 'now' : `in ${spanTold(left)}`
  }
  if (status === 'delivered' && delivered_at !== null)
    return `${last_status ?? ''}, ${spanTold(Date.parse(delivered_at) - Date.parse(created_at))}`
  return last_error === 'answer' ? String(last_status) : (last_error ?? '–')
}
