import { randomInt } from 'node:crypto'
import { notAuthenticated } from '@crewhall/contracts/identity/refusals.ts'
import {
  addressAlreadyYours,
  addressLimit,
  addressNotAvailable,
  mailboxNotRenamable,
} from '@crewhall/contracts/mailboxes/refusals.ts'
import { notFound } from '@crewhall/contracts/refusal.ts'
import { isAddressOfAnother, moveAccountAddress, type NewPerson } from '#modules/identity'
import type { BrandTx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import * as store from './addresses.store.ts'
import { deriveBase, deriveName, forwardingHours, nextNameAt, quarantineHours } from './names.rules.ts'
import { deleteEndedWithheld, deleteName, isWithheld } from './withheld-names.store.ts'

/** More than anybody has: names of the time before there was a limit to them. */
const maxListed = 100

export interface AddressDeps {
  readonly domain: string
  /** What the service calls itself in its refusals. */
  readonly service_name: string
  readonly reserved: ReadonlySet<string>
}

export async function getMyAddress(ctx: SystemCtx, deps: AddressDeps) {
  const person_id = personOf(ctx)
  const mailbox = await store.findMailbox(ctx, person_id)
  const address = mailbox?.external_address ?? (mailbox?.name && addressOf(deps, mailbox.name))
  if (!mailbox || !address) throw notFound()
  const earlier = await store.listForwarding(ctx, person_id, maxListed)
  return {
    address,
    can_rename: mailbox.external_address === null,
    forwarding: earlier.map(({ name, forwards_until }) => ({
      address: addressOf(deps, name),
      forwards_until,
    })),
  }
}

/** Advice only: `renameMyAddress` decides. It says whether, and never whose or why. */
export async function tellAvailability(ctx: SystemCtx, deps: AddressDeps, name: string) {
  const person_id = personOf(ctx)
  const mailbox = await store.findMailbox(ctx, person_id)
  // MAIL-12, C7: an address on another domain counts as none here.
  if (!mailbox?.name || mailbox.external_address !== null) throw notFound()
  const held = await store.findHeldName(ctx, name)
  const isFree = held === undefined || isOwnEarlier(held, person_id)
  const isTaken =
    deps.reserved.has(name) ||
    (await isWithheld(ctx, name)) ||
    (await isAddressOfAnother(ctx, addressOf(deps, name), person_id))
  return { name, domain: deps.domain, available: isFree && !isTaken }
}

export const renameMyAddress = (ctx: SystemCtx, deps: AddressDeps, name: string) =>
  ctx.tx(async (ctx) => {
    const person_id = personOf(ctx)
    await store.lockMailbox(ctx, person_id)
    const mailbox = await store.findMailbox(ctx, person_id)
    if (!mailbox) throw notFound()
    if (mailbox.external_address !== null) throw mailboxNotRenamable()
    if (mailbox.name === name) throw addressAlreadyYours(deps.service_name)
    await refuseHeld(ctx, deps, { person_id, name })
    const earlier = await store.listForwarding(ctx, person_id, maxListed)
    const others = earlier.filter((each) => each.name !== name)
    const from = nextNameAt(others.map(({ forwards_until }) => forwards_until))
    if (from !== undefined) throw addressLimit(deps.service_name, from)
    // The old name steps back first, because a person has one current name. Who then does not get the new
    // one keeps the old: the refusal takes both back.
    const dates = { forwarding_hours: forwardingHours, quarantine_hours: quarantineHours }
    const old = await store.updateRetired(ctx, { person_id, ...dates })
    if (!old) throw notFound()
    if (!(await takeName(ctx, name, person_id))) throw addressNotAvailable(deps.service_name)
    // An account that signs in with one of these names follows it: a year from now the old one may be another's.
    const former = [old, ...others].map((each) => addressOf(deps, each.name))
    await moveAccountAddress(ctx, person_id, { former, to: addressOf(deps, name) })
    return {
      address: addressOf(deps, name),
      forwarding_from: addressOf(deps, old.name),
      forwards_until: old.forwards_until,
    }
  })

/**
 * Looks before anything is locked: two people who want each other's name are both refused here, instead of
 * waiting for each other.
 */
async function refuseHeld(
  ctx: SystemTx,
  deps: AddressDeps,
  { person_id, name }: { person_id: number; name: string },
): Promise<void> {
  if (deps.reserved.has(name)) throw addressNotAvailable(deps.service_name)
  const held = await store.findHeldName(ctx, name)
  if (held && !isOwnEarlier(held, person_id)) throw addressNotAvailable(deps.service_name)
  const address = addressOf(deps, name)
  if (await isAddressOfAnother(ctx, address, person_id)) throw addressNotAvailable(deps.service_name)
}

/** Looked up once the name is taken: its last owner may have been erased while this waited for it. */
async function takeName(ctx: SystemTx | BrandTx, name: string, person_id: number): Promise<boolean> {
  if (!(await store.insertName(ctx, name, person_id))) return false
  if (!(await isWithheld(ctx, name))) return true
  await deleteName(ctx, name)
  return false
}

/** MAIL-G8: what forwards to nobody else, or is kept from everybody else, is still one's own. */
const isOwnEarlier = (held: store.NameRow, person_id: number): boolean =>
  held.person_id === person_id && !held.is_current

/** First without a number, then with longer and longer ones: the thousandth Ann is as quick as the second. */
const numbersUpTo = [undefined, 10, 1000, 100_000, 10_000_000, 1_000_000_000] as const

/** Everybody has an address from the start, made from the one they signed up with. */
export const firstAddresses = (deps: AddressDeps): NewPerson => ({
  async welcome(ctx: SystemTx | BrandTx, { id, email }) {
    // Somebody who was known before and only now becomes an account has theirs already.
    if ((await store.insertMailbox(ctx, id)) === 0) return
    const base = deriveBase(email)
    for (const limit of numbersUpTo) {
      const name = deriveName(base, limit && randomInt(limit / 10, limit))
      if (name === undefined || deps.reserved.has(name)) continue
      if (await isAddressOfAnother(ctx, addressOf(deps, name), id)) continue
      if (!(await isWithheld(ctx, name)) && (await takeName(ctx, name, id))) return
    }
    throw new Error('no free mail name was found for a new person')
  },
})

const sweepLimit = 1000

export async function sweepFreeNames(ctx: SystemCtx): Promise<void> {
  for (const bite of [store.deleteFreeNames, deleteEndedWithheld])
    while ((await bite(ctx, sweepLimit)) === sweepLimit) await ctx.faultPoint('mailboxes.sweep')
}

export const addressOf = ({ domain }: AddressDeps, name: string): string => `${name}@${domain}`

function personOf({ actor }: SystemCtx): number {
  if (actor.kind !== 'person') throw notAuthenticated()
  return actor.person_id
}
