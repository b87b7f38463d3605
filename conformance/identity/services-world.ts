import { createHash, randomBytes } from 'node:crypto'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { expect } from 'vitest'
import { memberVerbs, type Team } from '../workspaces/members/member-verbs.ts'

export type Body = Record<string, unknown>
export interface Staffed extends Team {
  readonly agent_id: string
  readonly person_id: number
  readonly service: string
  readonly token_id: string
}

export const servicesRoot = '/api/v1/probe/services'

/** A server on which teams open services for agents, as modules do. */
export function useServices() {
  const adminKey = randomBytes(24).toString('hex')
  const server = useServer('probe', {
    ADMIN_KEY_DIGESTS: createHash('sha256').update(adminKey).digest('hex'),
    HTTP_RATE_LIMIT_PER_MINUTE: '0',
  })
  const at = new World(server)
  const { newTeam, emailOf } = memberVerbs(at)
  const pathOf = (agent_id: string) => `${servicesRoot}/${agent_id}`

  async function newAgent({ token }: Team, agent_id = 'builder', name = 'Bolt Builder'): Promise<string> {
    await at.made({ token }, 'POST', '/api/v1/agents', { agent_id, name })
    return agent_id
  }
  const open = ({ token }: Team, agent_id: string) => at.call<Body>({ token }, 'PUT', pathOf(agent_id))
  const issue = ({ token }: Team, agent_id: string, scopes: readonly string[] = ['brand:read']) =>
    at.call<Body>({ token }, 'POST', `${pathOf(agent_id)}/tokens`, { name: 'Desk', scopes })
  const close = ({ token }: Team, agent_id: string) => at.call<Body>({ token }, 'DELETE', pathOf(agent_id))

  async function newStaffed(): Promise<Staffed> {
    const team = await newTeam()
    const agent_id = await newAgent(team)
    const { body } = await open(team, agent_id)
    const issued = await issue(team, agent_id)
    expect(issued.status).toBe(201)
    return {
      ...team,
      agent_id,
      person_id: Number(body.person_id),
      service: String(issued.body.token),
      token_id: String(issued.body.id),
    }
  }
  /** What became of a token, by a verb of the door. */
  const change = async ({ token, agent_id }: Staffed, token_id: string, verb: string, body?: object) =>
    (await at.made<Body>({ token }, 'POST', `${pathOf(agent_id)}/tokens/${token_id}/${verb}`, body)).done
  const works = async (service: string): Promise<number> =>
    (await at.call({ token: service }, 'GET', '/api/v1/agents')).status

  return { adminKey, server, at, newTeam, emailOf, newAgent, open, issue, close, newStaffed, change, works }
}
