import type { BrandTx, SystemTx } from '#platform/ctx/ctx.ts'
import type { NewPerson } from '../identity.ports.ts'
import { insertPerson } from '../sessions/sessions.store.ts'

/** Notifies the listeners of new people, inside the transaction that creates the person. */
export async function welcome(
  ctx: SystemTx | BrandTx,
  new_people: readonly NewPerson[],
  person: { readonly id: number; readonly email: string },
): Promise<void> {
  for (const each of new_people) await each.welcome(ctx, person)
}

/** A new person, by sign-up or by the operator. Returns the id. */
export async function createPerson(
  ctx: SystemTx,
  new_people: readonly NewPerson[],
  { email, full_name }: { readonly email: string; readonly full_name: string },
): Promise<number> {
  const id = await insertPerson(ctx, email, full_name)
  await welcome(ctx, new_people, { id, email })
  return id
}
