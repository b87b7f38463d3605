import { formerMember } from '@crewhall/contracts/former-member.ts'

type Fields = Readonly<Record<string, unknown>>

/** As `platform.without_person` in the database, for texts whose form and order has to stay. */
export function withoutPerson(value: unknown, person: number): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutPerson(each, person))
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Fields
  const isTheirs = isOf(fields, person)
  return Object.fromEntries(
    Object.entries(fields).map(([key, each]) => {
      if (isTheirs && names.has(key) && typeof each === 'string') return [key, formerMember]
      if (isTheirs && facts.has(key)) return [key, null]
      return [key, withoutPerson(each, person)]
    }),
  )
}

const names = new Set(['name', 'full_name'])
const facts = new Set(['email', 'position', 'agent', 'image', 'photo'])

function isOf(fields: Fields, person: number): boolean {
  const { id, kind = 'member', user_id, person_id } = fields
  if (user_id === person || person_id === person) return true
  if (id === person) return 'full_name' in fields || 'email' in fields
  return id === String(person) && (kind === 'member' || kind === 'guest' || kind === null)
}
