import type { Guest, GuestAccessItem, GuestKind } from '@crewhall/contracts/workspaces/guests.ts'

export interface Grant extends GuestAccessItem {
  readonly person_id: number
}
interface Person {
  readonly id: number
  readonly email: string
  readonly full_name: string
  readonly image: string | null
}

const byName = new Intl.Collator('en')

/** GST-01, GST-G2: everyone with access who is not a member, by name and then by id. */
export function deriveGuests(
  grants: readonly Grant[],
  people: readonly Person[],
  members: ReadonlySet<number>,
): Guest[] {
  const access = Map.groupBy(grants, ({ person_id }) => person_id)
  return people
    .filter(({ id }) => access.has(id) && !members.has(id))
    .sort((one, other) => byName.compare(one.full_name, other.full_name) || one.id - other.id)
    .map(({ id, email, full_name, image }) => ({
      user_id: id,
      email,
      full_name,
      image,
      access: deriveAccess(access.get(id) ?? []),
    }))
}

/** Boards first, then by name. */
const deriveAccess = (grants: readonly Grant[]): GuestAccessItem[] =>
  grants
    .map(({ kind, resource_id, name, role }) => ({ kind, resource_id, name, role }))
    .sort(
      (one, other) =>
        byName.compare(one.kind, other.kind) ||
        byName.compare(one.name, other.name) ||
        byName.compare(one.resource_id, other.resource_id),
    )

interface Counted {
  readonly kind: GuestKind
  readonly count: number
}

/**
 * GST-20, GST-G7: what was removed now and what an earlier try had noted overlap, and a grant may have come in
 * between; the larger number of each kind holds both.
 */
export function deriveRemoved(noted: readonly Counted[], removed: readonly Counted[]) {
  const sum = (list: readonly Counted[], kind: GuestKind) =>
    list.reduce((total, each) => total + (each.kind === kind ? each.count : 0), 0)
  const of = (kind: GuestKind) => Math.max(sum(noted, kind), sum(removed, kind))
  return { boards_removed: of('board'), docs_removed: of('docs') }
}
