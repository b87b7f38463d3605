import { Refusal } from '@crewhall/contracts/refusal.ts'
import type { GuestKind } from '@crewhall/contracts/workspaces/guests.ts'
import { brandNameOf, countLetter, type LetterLimits, listPeople } from '#modules/identity'
import type { OutsideSystemCtx } from '#platform/ctx/ctx.ts'
import type { Sender } from '#platform/letter/letter.ts'
import type { Mail } from '#platform/mail/mail.ts'
import { Outage } from '#platform/outage/outage.ts'
import type { GuestAccess } from '../workspaces.ports.ts'
import { guestLetter } from './guest-mail.ts'

export interface GuestLetterDeps {
  readonly mail: Mail
  readonly sender: Sender
  readonly limits: LetterLimits
  readonly guest_access: readonly GuestAccess[]
}

interface Order {
  readonly brand_id: number
  readonly person_id: number
  readonly inviter_id: number | null
  readonly kind: GuestKind
  readonly resource_id: string
  readonly letter_id: string
}

/** Notifies a new guest of what they can open, if they still can. Beyond the mail limit the e-mail is skipped; the access remains. */
export async function mailGuest(ctx: OutsideSystemCtx, deps: GuestLetterDeps, order: Order): Promise<void> {
  const brand = ctx.forBrand(order.brand_id)
  // The queue holds ids only: names of resources stay in the tables of the workspace.
  const grant = await deps.guest_access.find(({ kind }) => kind === order.kind)?.find(brand, order)
  if (!grant) return
  const people = await listPeople(brand, [order.person_id, order.inviter_id ?? order.person_id])
  const guest = people.find(({ id }) => id === order.person_id)
  if (!guest) return
  const inviter = people.find(({ id }) => id === order.inviter_id)?.full_name
  const brand_name = await brandNameOf(brand)
  const message_id = `<${order.letter_id}@crewhall>`
  const { email } = guest
  try {
    await brand.tx((ctx) => countLetter(ctx, deps.limits, { kind: 'guest', email }))
    await deps.mail.send(ctx, {
      ...guestLetter(
        { ...guest, ...grant, kind: order.kind, resource_id: order.resource_id, inviter, brand_name },
        deps.sender,
      ),
      message_id,
    })
  } catch (error) {
    const isFinal = error instanceof Refusal || (error instanceof Outage && error.is_final)
    if (!isFinal) throw error
    ctx.log.warn({ error, person_id: order.person_id }, 'could not notify a guest by e-mail')
  }
}
