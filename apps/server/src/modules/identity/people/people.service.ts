import { emailTaken } from '@crewhall/contracts/identity/refusals.ts'
import type { BrandCtx, BrandTx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import { updateVerified } from '../email-proofs/email-proofs.store.ts'
import type { NewPerson } from '../identity.ports.ts'
import { welcome } from './new-people.service.ts'
import * as store from './people.store.ts'

export interface PersonFacts {
  readonly id: number
  readonly email: string
  readonly full_name: string
  readonly image: string | null
}

export interface HeldPerson extends PersonFacts {
  /** Whether the address is proven. What is given to it before waits until it is. */
  readonly email_verified: boolean
}

/** Those of the given ids that exist, by id. */
export const listPeople = async (
  ctx: BrandCtx | SystemCtx,
  ids: readonly number[],
): Promise<PersonFacts[]> => (ids.length === 0 ? [] : store.listPeopleByIds(ctx, [...new Set(ids)]))

/** Ignores case. */
export const findPersonByEmail = (
  ctx: BrandCtx | SystemCtx,
  email: string,
): Promise<PersonFacts | undefined> => store.findPersonByEmail(ctx, email.trim())

/** The same with a lock, for granting rights: nobody else grants or checks one until the commit. */
export const holdPersonByEmail = (ctx: BrandTx, email: string): Promise<HeldPerson | undefined> =>
  store.lockPersonByEmail(ctx, email.trim())

/** Whether an account with that address exists, and has a password. */
export const findAccountByEmail = (
  ctx: BrandCtx | SystemCtx,
  email: string,
): Promise<{ id: number; has_password: boolean } | undefined> => store.findAccountByEmail(ctx, email.trim())

interface NewAccount {
  /** In lower case, and proven by a link that was sent to it. */
  readonly email: string
  readonly full_name: string
  readonly password_hash: string
}

/** Creates an account for the owner of the address. Never changes an existing account. */
export async function registerPerson(
  ctx: BrandTx,
  new_people: readonly NewPerson[],
  person: NewAccount,
): Promise<number> {
  const made = await store.insertOrCompletePerson(ctx, person.email, person.full_name)
  if (!made || (await store.insertPassword(ctx, made.id, person.password_hash)) === 0) throw emailTaken()
  await welcome(ctx, new_people, { id: made.id, email: person.email })
  return made.id
}

/** For a person who has used a link sent to their address. */
export const noteVerifiedEmail = async (ctx: BrandTx, person_id: number): Promise<void> => {
  await updateVerified(ctx, person_id)
}

/** For names of the mail domain: the owner of such a name receives the mail of that account. */
export const isAddressOfAnother = async (
  ctx: BrandCtx | SystemCtx,
  email: string,
  person_id: number,
): Promise<boolean> => (await store.findAnotherByEmail(ctx, email, person_id)) !== undefined

/** The account follows the name of its person, if it signs in with one of the former. */
export async function moveAccountAddress(
  ctx: SystemTx,
  person_id: number,
  { former, to }: { readonly former: readonly string[]; readonly to: string },
): Promise<void> {
  await store.updateEmail(ctx, { person_id, former, to })
}
