import { adminRequired, brandNotFound, scopeMissing } from '@crewhall/contracts/identity/refusals.ts'
import { refusal } from '@crewhall/contracts/refusal.ts'
import {
  adminToken,
  platformAdmin,
  route,
  session,
  sessionOrAdmin,
  token,
} from '@crewhall/contracts/route.ts'
import { text, Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'

// One route for every kind of credential that the families of the interface ask for. A family that has no
// route yet is proven here: its routes will be let in by the same contract field and the same code.

const brand = z.object({ brand_id: z.string() })
const inBrand = { params: brand, resources: { brand_id: 'brand' }, missing: brandNotFound } as const

/** What the caller's statement saw of its own workspace. */
const Own = z.object({
  brand_id: z.int(),
  name: z.string(),
  person_id: z.int(),
  role: z.enum(['admin', 'member']),
})
const Things = z.object({ brand_id: z.int(), things: z.array(z.string()) })

/** Search, recall and stats of memory. */
export const authMemoryRead = route({
  id: 'probe.authMemoryRead',
  method: 'GET',
  path: '/api/v1/probe/auth/things',
  summary: 'The things of the workspace, read by a statement that names no workspace',
  auth: token('memory:read'),
  responses: { 200: Things },
  refusals: [scopeMissing],
})

/** Writes of memory. */
export const authMemoryWrite = route({
  id: 'probe.authMemoryWrite',
  method: 'POST',
  path: '/api/v1/probe/auth/things',
  summary: 'Adds a thing to the workspace',
  auth: token('memory:write'),
  body: z.object({ name: text(1, 200) }),
  responses: { 201: z.object({ brand_id: z.int(), id: Uuid }) },
  refusals: [scopeMissing],
})

/** `entries:near`. */
export const authNear = route({
  id: 'probe.authNear',
  method: 'GET',
  path: '/api/v1/probe/auth/things:near',
  summary: 'Needs two scopes',
  auth: token('memory:read', 'code:read'),
  responses: { 200: Things },
  refusals: [scopeMissing],
})

/** Reading feature switches. */
export const authBrandRead = route({
  id: 'probe.authBrandRead',
  method: 'GET',
  path: '/api/v1/probe/auth/brands/{brand_id}/read',
  summary: 'The row of the workspace',
  auth: token('brand:read'),
  ...inBrand,
  responses: { 200: Own },
  refusals: [scopeMissing],
})

/** Changing feature switches, members and guests. */
export const authBrandAdmin = route({
  id: 'probe.authBrandAdmin',
  method: 'PUT',
  path: '/api/v1/probe/auth/brands/{brand_id}/admin',
  summary: 'Needs the scope and the role',
  auth: adminToken('brand:admin'),
  ...inBrand,
  responses: { 200: Own },
  refusals: [scopeMissing, adminRequired],
})

/** Machine updates, and changes of coder profiles. */
export const authAdminAny = route({
  id: 'probe.authAdminAny',
  method: 'PUT',
  path: '/api/v1/probe/auth/brands/{brand_id}/role',
  summary: 'Needs the role with any scopes',
  auth: adminToken(),
  ...inBrand,
  responses: { 200: Own },
  refusals: [adminRequired],
})

/** Coder profile reads, boards and one's own mail address. */
export const authMemberAny = route({
  id: 'probe.authMemberAny',
  method: 'GET',
  path: '/api/v1/probe/auth/member',
  summary: 'Any active member with any scopes',
  auth: token(),
  responses: { 200: Own },
})

/** Workstations, environments and self-serve hire. It takes fields it does not know, as most routes do. */
export const authSession = route({
  id: 'probe.authSession',
  method: 'POST',
  path: '/api/v1/probe/auth/session',
  summary: 'A session and no token',
  auth: session(),
  body: z.object({ name: text(1, 200) }),
  responses: { 200: Own },
})

/** The admin grant of a hire. */
export const authPlatform = route({
  id: 'probe.authPlatform',
  method: 'POST',
  path: '/api/v1/probe/auth/platform',
  summary: 'The key of the installation, or a session of its staff',
  auth: platformAdmin(),
  responses: { 200: z.object({ actor: z.enum(['admin_key', 'person']) }) },
})

/** A hire: taken by a session for its own workspace, or granted by an admin of the platform to any. */
export const authEither = route({
  id: 'probe.authEither',
  method: 'POST',
  path: '/api/v1/probe/auth/either',
  summary: 'Notes something in the audit log: of the session’s workspace, or of the one that an admin names',
  auth: sessionOrAdmin(),
  body: z.object({}).optional(),
  admin_body: z.object({ brand_id: z.int(), comp_reason: text(1, 200).optional() }),
  responses: {
    200: z.object({ path: z.enum(['session', 'admin']), brand_id: z.int(), actor: z.string() }),
  },
  refusals: [brandNotFound],
})

/** A read of what belongs to a workspace, which the platform may look at. */
export const authEitherRead = route({
  id: 'probe.authEitherRead',
  method: 'GET',
  path: '/api/v1/probe/auth/either/brands/{brand_id}',
  summary: 'The name of a workspace',
  auth: sessionOrAdmin(),
  ...inBrand,
  responses: { 200: z.object({ path: z.enum(['session', 'admin']), name: z.string() }) },
  refusals: [brandNotFound],
})

export const thingNotFound = refusal(404, 'Thing not found')
export const thingLocked = refusal(409, 'Thing is locked')

/** Can be refused for every cause of the published order. */
export const authOrder = route({
  id: 'probe.authOrder',
  method: 'PUT',
  path: '/api/v1/probe/auth/brands/{brand_id}/things/{thing_id}',
  summary: 'Renames a thing that is not locked',
  auth: adminToken('brand:admin'),
  params: brand.extend({ thing_id: Uuid }),
  resources: { brand_id: 'brand', thing_id: 'probe_thing' },
  missing: thingNotFound,
  body: z.strictObject({ name: text(1, 200) }),
  responses: { 200: z.object({ id: Uuid, name: z.string() }) },
  refusals: [brandNotFound, scopeMissing, adminRequired, thingNotFound, thingLocked],
})

export const probeAuthRoutes = {
  authMemoryRead,
  authMemoryWrite,
  authNear,
  authBrandRead,
  authBrandAdmin,
  authAdminAny,
  authMemberAny,
  authSession,
  authPlatform,
  authEither,
  authEitherRead,
  authOrder,
} as const
