import type { WorldServer } from '@crewhall/testkit/world/workspace.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { adminVerbs } from '../identity/admin-verbs.ts'

export interface Template {
  coder_profile: string
  scopes: string[]
  packages: string[]
  memory_sources: { source_type: string; directory: string | null }[]
  files: { name: string; content: string }[]
}
export interface Content {
  name: string
  title: string
  summary: string
  description: string
  good_at: string[]
  is_builder: boolean
  template: Template | null
}
export interface CatalogEmployee {
  profile_id: string
  key: string
  status: string
  version: number | null
  draft_version: number | null
  name: string
  managed_by: string
  revision: number
  published: Content | null
  draft: Content | null
}
export interface Employee extends Omit<Content, 'template'> {
  profile_id: string
  key: string
  version: number
  is_deployable: boolean
  published_at: string
  template: (Omit<Template, 'files'> & { files: { name: string; bytes: number }[] }) | null
}

export const template: Template = {
  coder_profile: 'codex.docs',
  scopes: ['brand:read'],
  packages: ['boards'],
  memory_sources: [{ source_type: 'claude_code', directory: 'sessions' }],
  files: [{ name: 'PERSONA.md', content: '# Übersetzer\n' }],
}
export const content: Content = {
  name: 'Translator',
  title: 'Technical translator',
  summary: 'Translates what has changed.',
  description: 'Follows the changes of pages and translates them.',
  good_at: ['translation'],
  is_builder: false,
  template,
}

let made = 0

/** What an operator and the members of a workspace do with the catalog. */
export function catalogVerbs(server: WorldServer) {
  const at = new World(server)
  const { ask } = adminVerbs(server)
  const send = async (method: string, path: string, body?: unknown) => {
    const { status, body: sent } = await ask(method, `/employees${path}`, body)
    return { status, body: sent as unknown as CatalogEmployee & { detail?: unknown } }
  }
  const did = async (...args: Parameters<typeof send>): Promise<CatalogEmployee> => {
    const { status, body } = await send(...args)
    if (status < 300) return body
    throw new Error(`${args[0]} ${args[1]} was answered ${status}: ${JSON.stringify(body)}`)
  }
  return {
    at,
    ask,
    send,
    newKey: () => `made-${process.pid}-${++made}`,
    create: (key: string, change: Partial<Content> = {}) => did('POST', '', { key, ...content, ...change }),
    read: (profile_id: string) => did('GET', `/${profile_id}`),
    change: (profile_id: string, change: Partial<Content> = {}) =>
      did('PUT', `/${profile_id}/draft`, { ...content, ...change }),
    publish: (profile_id: string) => did('POST', `/${profile_id}/publish`, {}),
    withdraw: (profile_id: string) => did('POST', `/${profile_id}/withdraw`),
    /** A token without any scope. */
    async newReader(): Promise<string> {
      return at.newToken(await at.join(await at.newBrand(), 'member'))
    },
  }
}
