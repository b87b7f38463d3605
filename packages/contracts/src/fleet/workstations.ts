import { z } from 'zod'
import { route, session } from '../route.ts'
import { pageLimit, Uuid } from '../wire.ts'
import { Desk, DeskDescription, DeskName, JoinCommands, oneDesk, Region, runtimes } from './desk.ts'
import * as refused from './refusals.ts'

export const NewDesk = z.object({
  name: DeskName,
  runtime: z.enum(runtimes).default('claude_code'),
  /** A hint where the machine stands. */
  region: Region.optional(),
  /** What the desk is for, in a line. */
  description: DeskDescription.optional(),
})
export type NewDesk = z.infer<typeof NewDesk>

/** The only response besides that of regenerate-pat that ever has the token and the commands. */
export const OrderedDesk = Desk.extend(JoinCommands.shape).meta({ id: 'OrderedWorkstation' })

const onePath = '/api/v1/workstations/{workstation_id}'

export const orderDesk = route({
  id: 'fleet.orderDesk',
  method: 'POST',
  path: '/api/v1/workstations',
  summary: 'Order a desk',
  description:
    'A desk is a Linux machine of yours that works for this workspace. Run `install_command` on it as root, or `install_command_sudo` as another user; about 90 seconds later the desk is ready. Store what you need: `pat` and the commands are returned only once, and they expire after 24 hours. Two desks may have the same name. The plan limits how many desks a workspace has; dormant ones do not count.',
  example: { body: { name: 'Build desk', runtime: 'claude_code', description: 'Builds the web shop' } },
  auth: session(),
  body: NewDesk,
  tells_once: true,
  responses: { 201: OrderedDesk },
  refusals: [refused.deskLimitReached],
})

export const listDesks = route({
  id: 'fleet.listDesks',
  method: 'GET',
  path: '/api/v1/workstations',
  summary: 'List desks, newest first',
  description:
    'Desks that were not heard from for more than two weeks are in `dormant`, all others in `items`. `total` counts both, over all pages. Pass `next_cursor` as `cursor` to read on; it is null on the last page.',
  example: { query: { limit: '50' } },
  auth: session(),
  query: z.object({ limit: pageLimit(100, 100), cursor: z.string().max(500).optional() }),
  responses: {
    200: z.object({
      items: z.array(Desk).max(100),
      dormant: z.array(Desk).max(100),
      total: z.int().min(0),
      next_cursor: z.string().nullable(),
    }),
  },
  refusals: [refused.unknownCursor],
})

export const getDesk = route({
  ...oneDesk,
  id: 'fleet.getDesk',
  method: 'GET',
  path: onePath,
  summary: 'Get a desk with its onboarding',
  description:
    'The steps say how far the installation is. In a stalled one, exactly one step has a `hint`: the first that is not done. The default is JSON; `format` selects YAML or Markdown, where `[x]` is done, `[ ]` pending, `[!]` failed and `[-]` blocked.',
  auth: session(),
  // DESK-28: JSON is the default and cannot be named in `format`.
  formats: { default: 'json', accepts: ['yaml', 'md'], md: 'checklist' },
  responses: { 200: Desk },
  refusals: [refused.deskNotFound],
})

export const releaseDesk = route({
  ...oneDesk,
  id: 'fleet.releaseDesk',
  method: 'DELETE',
  path: onePath,
  summary: 'Release a desk',
  description:
    'The desk is gone at once: its token stops working, its photo is removed, and its place in the plan is free. Files on the machine stay. This cannot be undone.',
  auth: session(),
  responses: { 200: z.object({ workstation_id: Uuid, released: z.literal(true) }) },
  refusals: [refused.deskNotFound],
})

export const regeneratePat = route({
  ...oneDesk,
  id: 'fleet.regeneratePat',
  method: 'POST',
  path: `${onePath}/regenerate-pat`,
  summary: 'Replace the token of a desk',
  description:
    'For a lost or expired token. The old one stops working at once; a desk that runs keeps its key. Returns `pat` and the commands, once.',
  auth: session(),
  tells_once: true,
  responses: { 200: OrderedDesk },
  refusals: [refused.deskNotFound],
})
