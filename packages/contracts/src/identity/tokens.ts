import { z } from 'zod'
import { route, token } from '../route.ts'
import { scopes } from '../scopes.ts'
import { Timestamp, text, Uuid } from '../wire.ts'
import { AgentId, AgentName } from './agents.ts'
import * as refused from './refusals.ts'

export const Token = z
  .object({
    id: Uuid,
    name: z.string(),
    person: z.object({ id: z.int(), name: z.string() }),
    last_four: z.string(),
    scopes: z.array(z.string()),
    expires_at: Timestamp,
    /** A day, not a time: who used a token when is nobody's business. */
    last_used_on: z.string().nullable(),
    created_at: Timestamp,
    /** What is done with the token is told as done by this agent, for the person. */
    agent: z.string().nullable(),
    /** The agent that the token belongs to; null if `agent` is only a name. */
    agent_id: z.string().nullable(),
  })
  .meta({ id: 'Token' })
export type Token = z.infer<typeof Token>

/** The only answer that ever holds the token itself. */
const NewToken = Token.extend({ token: z.string() }).meta({ id: 'NewToken' })

const brand = { brand_id: z.string() }
const one = z.object({ ...brand, token_id: Uuid })
const maxDays = 366

export const listTokens = route({
  id: 'identity.listTokens',
  method: 'GET',
  path: '/api/v1/brands/{brand_id}/tokens',
  summary: 'List the tokens of the workspace that the caller may see',
  description:
    'With a session, admins see all tokens and members see their own. A token sees itself and the tokens it issued. Expired and revoked tokens are omitted. An app that was connected with OAuth is one entry, with its name; revoking it disconnects the app. Secrets are never returned, only their last four characters.',
  auth: token(),
  params: z.object(brand),
  resources: { brand_id: 'brand' },
  missing: refused.brandNotFound,
  responses: { 200: z.object({ tokens: z.array(Token) }) },
})

export const createToken = route({
  id: 'identity.createToken',
  method: 'POST',
  path: '/api/v1/brands/{brand_id}/tokens',
  summary: 'Create a token',
  description:
    'The token belongs to the caller and never has more rights than the caller’s role and the scopes that the workspace allows. If it is created with another token, it expires no later than that token and is revoked with it. Store `token` from the response: it is returned only once. Set `agent_id` when it is for an agent of the workspace: the token carries its name and is revoked when the agent is retired. Set `agent` to a name of your choice for any other program that works on behalf of a person.',
  example: { body: { name: 'Build server', scopes: ['brand:read'], expires_in_days: 90 } },
  auth: token(),
  params: z.object(brand),
  resources: { brand_id: 'brand', 'body.agent_id': 'agent' },
  missing: refused.brandNotFound,
  body: z.object({
    name: text(1, 100),
    scopes: z.array(z.enum(scopes)).max(scopes.length),
    expires_in_days: z.int().min(1).max(maxDays).optional(),
    /** Left out with a token that speaks for an agent, the new one speaks for the same agent. */
    agent: AgentName.optional(),
    /** The same for a token that belongs to an agent of the workspace. */
    agent_id: AgentId.optional(),
  }),
  tells_once: true,
  responses: { 201: NewToken },
  refusals: [
    refused.scopeOutsideCeiling,
    refused.scopeMissing,
    refused.tokenOfAnother,
    refused.serviceTokensFixed,
    refused.tokenLimit,
    refused.agentNotOwned,
    refused.agentRetired,
    refused.agentNamedTwice,
  ],
})

export const revokeToken = route({
  id: 'identity.revokeToken',
  method: 'DELETE',
  path: '/api/v1/brands/{brand_id}/tokens/{token_id}',
  summary: 'Revoke a token and every token it issued',
  description: 'Takes effect with the next request. This cannot be undone.',
  auth: token(),
  params: one,
  resources: { brand_id: 'brand', token_id: 'token' },
  missing: refused.tokenNotFound,
  refusals: [refused.tokenNotFound, refused.signInForTokens],
  responses: { 200: z.object({ revoked: z.literal(true) }) },
})

export const rotateToken = route({
  id: 'identity.rotateToken',
  method: 'POST',
  path: '/api/v1/brands/{brand_id}/tokens/{token_id}/rotate',
  summary: 'Replace the secret of a token',
  description:
    'Name, scopes and agent stay the same. The old secret stops working immediately. Store `token` from the response: it is returned only once.',
  auth: token(),
  params: one,
  resources: { brand_id: 'brand', token_id: 'token' },
  missing: refused.tokenNotFound,
  refusals: [
    refused.tokenNotFound,
    refused.scopeMissing,
    refused.tokenOfAnother,
    refused.tokenOfApp,
    refused.serviceTokensFixed,
  ],
  tells_once: true,
  responses: { 200: NewToken },
})
