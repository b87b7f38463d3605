import { z } from 'zod'
import { bytes } from '../bytes.ts'
import { notFound } from '../refusal.ts'
import { desk, route } from '../route.ts'
import { Timestamp, Uuid } from '../wire.ts'
import { installStages } from './desk.ts'
import {
  CodeDigest,
  CommandResult,
  DeskReport,
  maxCommands,
  NewCommandKey,
  PublicKey,
  SidecarVersion,
  SignedCommand,
} from './desk-protocol.ts'
import * as refused from './refusals.ts'

export const InstallEvent = z.object({
  stage: z.enum(installStages),
  ok: z.boolean(),
  /** Of the installer, if it ends here. */
  exit_code: z.int().min(0).max(255).nullable().default(null),
})
export type InstallEvent = z.infer<typeof InstallEvent>

export const reportInstallEvent = route({
  id: 'fleet.reportInstallEvent',
  method: 'POST',
  path: '/api/v1/desk-agent/install-events',
  summary: 'Report how far an installation is',
  description:
    'For the installer. The last report decides which hint the onboarding of the desk shows. The token is taken until it expires, and for 30 minutes after a machine has joined with it.',
  example: { body: { stage: 'preflight', ok: true } },
  auth: desk('join_secret'),
  body: InstallEvent,
  responses: { 200: z.object({ recorded: z.literal(true) }) },
})

export const getInstallFile = route({
  id: 'fleet.getInstallFile',
  method: 'GET',
  path: '/api/v1/desk-agent/install-files',
  summary: 'Get a file that the installer needs',
  description:
    'For the installer, which knows the digests: the sidecar, the Node that it runs on, compressed by gzip, or npm. 404 unless `sha256` is the digest of a file that is installed now. The token is taken as for install events.',
  example: { query: { sha256: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752' } },
  auth: desk('join_secret'),
  query: z.object({ sha256: CodeDigest }),
  responses: { 200: bytes('application/octet-stream') },
  refusals: [notFound],
})

const word = z.string().regex(/^[0-9A-Za-z._ -]{1,60}$/, 'must be a word of at most 60 characters')

export const Registration = z.object({
  env_id: Uuid,
  /** Of WireGuard. */
  wg_pub: PublicKey,
  /** HMAC-SHA256 of `crewhall-desk` with the machine id as the key, in hexadecimal digits. */
  machine_key: CodeDigest,
  os: word,
  arch: word,
  version: SidecarVersion,
  digest: CodeDigest.nullable(),
  /** Where the sidecar answers health checks: an address in a network of desks. Without it, the one it gets in the mesh. */
  sidecar_url: z.string().max(500).optional(),
  /** Where it does so in the mesh; 8787 unless it says otherwise. */
  health_port: z.int().min(1).max(65535).optional(),
})
export type Registration = z.infer<typeof Registration>

export const Registered = z.object({
  env_id: Uuid,
  sidecar_url: z.string().meta({ maxLength: 500 }),
  /** The private network; null where desks are reached without one. */
  mesh: z
    .object({
      address: z.string().meta({ maxLength: 60 }),
      hub_key: PublicKey,
      hub_endpoint: z.string().meta({ maxLength: 100 }),
      allowed_ips: z.array(z.string().meta({ maxLength: 60 })).max(10),
      keepalive_s: z.int(),
      /** Where beats go while the hub is heard; `server_url` of the desk is for all else. */
      beat_url: z.string().meta({ maxLength: 100 }),
    })
    .nullable(),
  /** When the first beat is due. */
  next_in_s: z.int().min(1),
  /** The key that commands are signed with. */
  command_key: PublicKey,
})
export type Registered = z.infer<typeof Registered>

export const registerDesk = route({
  id: 'fleet.registerDesk',
  method: 'POST',
  path: '/api/v1/desk-agent/register',
  summary: 'Join as a desk',
  description:
    'For the sidecar. Signed with the key that the desk has from now on: `keyid` is the public key. The token is bound to the first key. The same key gets the same response for 30 minutes; any other key is refused, and the workspace is told.',
  example: {
    body: {
      env_id: '3f8a6c1e-52d4-4b7a-9c0e-1a2b3c4d5e6f',
      wg_pub: 'hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo',
      machine_key: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      os: 'linux',
      arch: 'x64',
      version: '0.3.0',
      digest: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
      sidecar_url: 'http://[fd63:7265:7768::1]:8787',
    },
  },
  auth: desk('join_secret_and_key'),
  body: Registration,
  resources: { 'body.env_id': 'desk' },
  responses: { 200: Registered },
  refusals: [
    refused.joinedByAnother,
    refused.meshKeyRefused,
    refused.meshFull,
    refused.otherDesk,
    refused.sidecarUrlRefused,
    refused.clockOff,
  ],
})

export const Beat = DeskReport.extend({
  results: z.array(CommandResult).max(maxCommands).default([]),
  /** The key by which the desk judges commands. */
  command_key: PublicKey.optional(),
  /** A key that the desk will use in the mesh from now on. The one before stays until the hub has heard it with this one. */
  wg_pub: PublicKey.optional(),
})
export type Beat = z.infer<typeof Beat>

export const sendBeat = route({
  id: 'fleet.sendBeat',
  method: 'POST',
  path: '/api/v1/desk-agent/beat',
  summary: 'Report that a desk is alive',
  description:
    'For the sidecar. Signed with the key of the desk: `keyid` is its id, and `nonce` is `<boot id>/<sequence>`, which rises with every request of one process. A beat never makes a desk ready; the next health check does. `commands` are repeated until the desk says what became of them, for 10 minutes at most. 410 means that the desk was released: stop, and keep the files.',
  example: {
    body: {
      version: '0.3.0',
      digest: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
      builds_running: 0,
      pending_sync_count: 2,
      login_expired: false,
      link_age_s: 14,
    },
  },
  auth: desk('key'),
  body: Beat,
  responses: {
    200: z.object({
      /** When the next beat is due. */
      next_in_s: z.int().min(1),
      /** Signed by the `command_key` of the beat, if that is one of the service. */
      commands: z.array(SignedCommand).max(maxCommands),
      /** Only for a desk that knows an older one. */
      command_key: NewCommandKey.optional(),
      /** The hired agent of the desk. With another revision, its credential and its files are to be fetched anew. */
      hire: z
        .object({ agent_id: z.string().meta({ maxLength: 255 }), revision: z.int() })
        .nullable()
        .optional(),
      time: Timestamp,
    }),
  },
  refusals: [
    refused.nextKeyRefused,
    refused.clockOff,
    refused.sequenceUsed,
    refused.deskQuarantined,
    refused.deskReleased,
  ],
})

export const getSidecarBundle = route({
  id: 'fleet.getSidecarBundle',
  method: 'GET',
  path: '/api/v1/desk-agent/bundle',
  summary: 'Get the file of an update',
  description:
    'For the sidecar. Signed as a beat, over an empty body. 404 unless `sha256` is the digest of the file that updates install now.',
  example: { query: { sha256: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752' } },
  auth: desk('key'),
  query: z.object({ sha256: CodeDigest }),
  responses: { 200: bytes('text/javascript') },
  refusals: [notFound, refused.clockOff, refused.sequenceUsed, refused.deskQuarantined, refused.deskReleased],
})
