import type { Worker } from '@crewhall/contracts/boards/card-fields.ts'
import type { CardChange, WorkerInput } from '@crewhall/contracts/boards/cards.ts'
import { noSuchMember } from '@crewhall/contracts/boards/refusals.ts'
import { findMembership, listPeople } from '#modules/identity'
import type { BrandCtx } from '#platform/ctx/ctx.ts'

export interface Workers {
  readonly assignee?: Worker | null | undefined
  readonly delegate?: Worker | null | undefined
}

/** Those that a change names, as they are called now; undefined where it says nothing. */
export async function workersOf(ctx: BrandCtx, { assignee, delegate }: CardChange): Promise<Workers> {
  return { assignee: await workerOf(ctx, assignee), delegate: await workerOf(ctx, delegate) }
}

async function workerOf(ctx: BrandCtx, wanted: WorkerInput | null | undefined) {
  if (wanted === undefined || wanted === null) return wanted
  if (wanted.kind === 'agent') return { kind: wanted.kind, id: wanted.id, name: wanted.name ?? wanted.id }
  const person_id = Number(wanted.id)
  if (!(await findMembership(ctx, person_id))) throw noSuchMember()
  const [person] = await listPeople(ctx, [person_id])
  if (!person) throw noSuchMember()
  return { kind: wanted.kind, id: String(person.id), name: person.full_name }
}
