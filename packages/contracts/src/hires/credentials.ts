import { z } from 'zod'
import * as fleet from '../fleet/refusals.ts'
import { agentRetired } from '../identity/refusals.ts'
import { desk, route, session } from '../route.ts'
import { Uuid } from '../wire.ts'
import * as refused from './refusals.ts'
import { maxFileBytes, maxFiles } from './template.ts'

const shown = {
  hire_id: Uuid,
  agent_id: z.string().meta({ maxLength: 255 }),
  /** Where the agent finds its tools. */
  mcp_url: z.string().meta({ maxLength: 1000 }),
}

/** What a desk keeps for the agent that works at it. */
export const DeskHire = z
  .object({
    ...shown,
    /** As beats tell it. */
    revision: z.int(),
    token: z.string().meta({ maxLength: 100 }),
    coder_profile: z.string().meta({ maxLength: 100 }),
    /** Of the desk, as in its environment. */
    workspace_path: z.string().meta({ maxLength: 200 }),
    files: z
      .array(
        z.object({
          name: z.string().meta({ maxLength: 100 }),
          content: z.string().meta({ maxLength: maxFileBytes }),
        }),
      )
      .max(maxFiles),
  })
  .meta({ id: 'DeskHire' })
export type DeskHire = z.infer<typeof DeskHire>

export const fetchDeskHire = route({
  id: 'hires.fetchDeskHire',
  method: 'POST',
  path: '/api/v1/desk-agent/hire',
  summary: 'Get the credential and the files of the employee at a desk',
  description:
    'For the sidecar. Signed with the key of the desk, over an empty body. The token is made for this response and stored nowhere; tokens that the same hire had before stop working with it. 404 unless an employee works at this very desk.',
  auth: desk('key'),
  tells_once: true,
  responses: { 200: DeskHire },
  refusals: [
    refused.noHireAtDesk,
    agentRetired,
    fleet.clockOff,
    fleet.sequenceUsed,
    fleet.deskQuarantined,
    fleet.deskReleased,
  ],
})

export const issueHireCredential = route({
  id: 'hires.issueHireCredential',
  method: 'POST',
  path: '/api/v1/employees/hires/{hire_id}/credential',
  summary: 'Issue the credential of an employee',
  description:
    'For admins. Returns the token that the employee works with, once; the one before stops working at once, so a second call rotates it. The token of an employee with a desk goes to the desk alone: it fetches a new one with its next report, and `token` is null here. The employee has to be `active`, or canceled and still working.',
  auth: { ...session(), role: 'admin' },
  params: z.object({ hire_id: Uuid }),
  resources: { hire_id: 'hire' },
  missing: refused.hireNotFound,
  tells_once: true,
  responses: {
    200: z.object({
      ...shown,
      /** The desk that fetches the token. */
      workstation_id: Uuid.nullable(),
      token: z.string().meta({ maxLength: 100 }).nullable(),
    }),
  },
  refusals: [refused.hireNotFound, refused.hireNotRunning, agentRetired],
})
