/** Something that a token is for: the service, or one of the addresses of its tools. */
export interface Resource {
  readonly path: string
  /** Whose tools they are, for the address of an agent. */
  readonly agent_id: string | null
}

const fixed = ['', '/mcp', '/mcp/readonly']
const ofAgent = /^\/mcp\/agents\/([A-Za-z0-9_-]{1,255})$/

export function resourceAt(path: string): Resource | undefined {
  if (fixed.includes(path)) return { path, agent_id: null }
  const agent_id = ofAgent.exec(path)?.[1]
  return agent_id === undefined ? undefined : { path, agent_id }
}

/** RFC 8707: ours, or none. A query, as clients have it in their address, makes it no other resource. */
export function deriveResource(origin: string, given: string | undefined): Resource | undefined {
  if (given === undefined) return resourceAt('')
  if (!URL.canParse(given) || given.includes('#')) return undefined
  const url = new URL(given)
  if (url.origin !== origin || url.username !== '' || url.password !== '') return undefined
  return resourceAt(url.pathname === '/' ? '' : url.pathname)
}
