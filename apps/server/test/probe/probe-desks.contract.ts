import { changeDeskPhoto } from '@crewhall/contracts/fleet/desk-photos.ts'
import { deskLimitReached, deskNotFound, joinedByAnother } from '@crewhall/contracts/fleet/refusals.ts'
import { requestUpdate } from '@crewhall/contracts/fleet/updates.ts'
import { NewDesk } from '@crewhall/contracts/fleet/workstations.ts'
import { adminToken, route, session } from '@crewhall/contracts/route.ts'
import { z } from 'zod'

/** The naive twin of an order: it counts and inserts, and locks nothing. */
const orderDeskNaively = route({
  id: 'probe.orderDeskNaively',
  method: 'POST',
  path: '/api/v1/probe/workstations',
  summary: 'Counts and inserts without a lock',
  auth: session(),
  body: NewDesk,
  responses: { 201: z.object({}) },
  refusals: [deskLimitReached],
})

/** That of a new token: it reads which one is there, adds its own, then removes what it has read. */
const regeneratePatNaively = route({
  id: 'probe.regeneratePatNaively',
  method: 'POST',
  path: '/api/v1/probe/workstations/{workstation_id}/regenerate-pat',
  params: changeDeskPhoto.params,
  resources: changeDeskPhoto.resources,
  missing: deskNotFound,
  summary: 'Reads, adds and removes without a lock',
  auth: session(),
  tells_once: true,
  responses: { 200: z.object({ pat: z.string() }) },
})

/** That of a photo: it has not thought of a second one at the same time. */
const naiveDeskPhoto = route({
  id: 'probe.naiveDeskPhoto',
  method: 'POST',
  path: '/api/v1/probe/environments/{workstation_id}/image',
  params: changeDeskPhoto.params,
  resources: changeDeskPhoto.resources,
  missing: deskNotFound,
  summary: 'Reads which object is there, stores the new one, then swaps them',
  auth: session(),
  upload: changeDeskPhoto.upload,
  responses: { 200: z.object({}) },
})

/** That of an update: it looks whether one waits, and inserts if not. */
const requestUpdateNaively = route({
  id: 'probe.requestUpdateNaively',
  method: 'POST',
  path: '/api/v1/probe/machines/{machine_id}/updates',
  params: requestUpdate.params,
  resources: requestUpdate.resources,
  missing: requestUpdate.missing,
  summary: 'Looks and inserts without a lock',
  auth: adminToken(),
  responses: { 202: z.object({ id: z.string() }) },
})

/** That of joining: it looks which key has the token, and takes it if none has. */
const joinNaively = route({
  id: 'probe.joinNaively',
  method: 'POST',
  path: '/api/v1/probe/workstations/{workstation_id}/join',
  params: changeDeskPhoto.params,
  resources: changeDeskPhoto.resources,
  missing: deskNotFound,
  summary: 'Looks and binds without a lock',
  auth: session(),
  body: z.object({ fingerprint: z.string().max(64) }),
  responses: { 200: z.object({}) },
  refusals: [joinedByAnother],
})

/** That of a health check: it reads the desk, asks it, and writes back what it has read with what it has found. */
const checkNaively = route({
  id: 'probe.checkNaively',
  method: 'POST',
  path: '/api/v1/probe/workstations/{workstation_id}/check',
  params: changeDeskPhoto.params,
  resources: changeDeskPhoto.resources,
  missing: deskNotFound,
  summary: 'Reads, asks and writes without a condition',
  auth: session(),
  responses: { 200: z.object({}) },
})

/** That of a count of live desks: it is kept, and changed with whatever it was when it was read. */
const countNaively = route({
  id: 'probe.countNaively',
  method: 'POST',
  path: '/api/v1/probe/live-desks',
  summary: 'Reads a count and writes the next one',
  auth: session(),
  body: z.object({ cause: z.enum(['order', 'wake']) }),
  responses: { 200: z.object({}) },
  refusals: [deskLimitReached],
})

export const probeDeskRoutes = {
  checkNaively,
  countNaively,
  joinNaively,
  orderDeskNaively,
  regeneratePatNaively,
  naiveDeskPhoto,
  requestUpdateNaively,
}
