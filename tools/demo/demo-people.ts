import { apiAs, type Credential, cookieOf } from './demo-api.ts'
import { addressOf, hasMailbox, secretFor } from './demo-letters.ts'
import { type Portrait, portrait } from './demo-portrait.ts'

export type PersonName = 'tomas' | 'ines' | 'priya' | 'anna'
export type AgentName = 'marlow' | 'wren' | 'juno' | 'pike' | 'otis'

export const fullNames: Readonly<Record<PersonName | 'jonas', string>> = {
  tomas: 'Tomas Lind',
  ines: 'Ines Okafor',
  priya: 'Priya Raman',
  anna: 'Anna Sørensen',
  jonas: 'Jonas Weber',
}

/** Each agent works for somebody. */
export const agents: Readonly<Record<AgentName, { readonly name: string; readonly works_for: PersonName }>> =
  {
    marlow: { name: 'Marlow', works_for: 'ines' },
    wren: { name: 'Wren', works_for: 'tomas' },
    juno: { name: 'Juno', works_for: 'priya' },
    pike: { name: 'Pike', works_for: 'tomas' },
    otis: { name: 'Otis', works_for: 'ines' },
  }
export const agentNames = Object.keys(agents) as AgentName[]
export const isAgent = (name: string): name is AgentName => name in agents

const positions: Readonly<Record<PersonName, string>> = {
  tomas: 'Engineering lead',
  ines: 'Backend',
  priya: 'Product',
  anna: 'Design',
}

/** The others are shown by their initials. */
const portraits: Partial<Record<PersonName, Portrait>> = {
  ines: { ground: [240, 214, 190], skin: [141, 88, 58], hair: [44, 30, 26], coat: [196, 84, 58] },
  priya: { ground: [199, 229, 214], skin: [186, 130, 92], hair: [30, 26, 30], coat: [38, 106, 82] },
}

export interface Person {
  readonly id: number
  readonly email: string
  readonly by: Credential
}
export type People = Readonly<Record<PersonName, Person>>

interface Founding {
  readonly base_url: string
  readonly brand_id: number
  readonly tag: string
  readonly password: string
  readonly admin: Person
}

/** Colleagues join by the letters that invite them. Without a mailbox they stay invited, and the admin does their part. */
export async function invitePeople(founding: Founding): Promise<People> {
  const { base_url, brand_id, tag, password, admin } = founding
  const api = apiAs(base_url, admin.by)
  const join = async (name: PersonName, role: 'admin' | 'member'): Promise<Person> => {
    const email = addressOf(name, tag)
    const params = { brand_id: String(brand_id) }
    await api.workspaces.createInvitation({ params, body: { email, role } })
    const token = hasMailbox ? await secretFor(email, 'invite') : undefined
    if (token === undefined) return admin
    const anyone = apiAs(base_url, undefined)
    await anyone.workspaces.acceptInvitation({ body: { token, full_name: fullNames[name], password } })
    return signIn(base_url, email, password)
  }
  const [ines, priya, anna] = await Promise.all([
    join('ines', 'member'),
    join('priya', 'admin'),
    join('anna', 'member'),
  ])
  const people = { tomas: admin, ines, priya, anna }
  for (const [name, position] of Object.entries(positions)) {
    const person = people[name as PersonName]
    if (person === admin && name !== 'tomas') continue
    const params = { brand_id: String(brand_id), user_id: String(person.id) }
    await api.workspaces.changeMember({ params, body: { position } })
  }
  // Somebody who has not come yet.
  const noor = { email: addressOf('noor', tag), role: 'member' } as const
  await api.workspaces.createInvitation({ params: { brand_id: String(brand_id) }, body: noor })
  for (const [name, look] of Object.entries(portraits)) {
    const person = people[name as PersonName]
    if (person === admin) continue
    const file = new File([portrait(look)], `${name}.png`, { type: 'image/png' })
    const params = { brand_id: String(brand_id), user_id: String(person.id) }
    await api.workspaces.changePhoto({ params, file })
  }
  return people
}

export async function signIn(base_url: string, email: string, password: string): Promise<Person> {
  const { body, headers } = await apiAs(base_url, undefined).identity.signIn({ body: { email, password } })
  return { id: body.person.id, email, by: { cookie: cookieOf(headers) } }
}

/** A person of another company, with an account that is confirmed: only then can anything be shared. */
export async function signUpGuest({ base_url, tag, password }: Founding): Promise<Person | undefined> {
  if (!hasMailbox) return undefined
  const email = addressOf('jonas', tag)
  const { body, headers } = await apiAs(base_url, undefined).identity.signUp({
    body: { email, password, full_name: fullNames.jonas, brand_name: 'Weber & Partner' },
  })
  const guest = { id: body.person.id, email, by: { cookie: cookieOf(headers) } }
  return (await confirmAddress(base_url, guest)) ? guest : undefined
}

/** By the link in the letter. */
export async function confirmAddress(base_url: string, { email, by }: Person): Promise<boolean> {
  const token = await secretFor(email, 'confirm')
  if (token === undefined) return false
  await apiAs(base_url, by).identity.confirmEmail({ body: { token } })
  return true
}
