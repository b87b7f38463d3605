import { z } from 'zod'
import { Timestamp, Uuid } from '../wire.ts'

/** What a sidecar and the server tell each other. All of it is signed by the desk as `signature.ts` says. */

/** How far the clock of a desk may be off. */
export const maxClockSkewS = 300

const base64url = (bytes: number, chars: number) =>
  z.string().regex(new RegExp(`^[A-Za-z0-9_-]{${chars}}$`), `must be ${bytes} bytes in base64url`)
/** A public key of X25519 or Ed25519. */
export const PublicKey = base64url(32, 43)
/** Of Ed25519. */
const Signature = base64url(64, 86)

export const SidecarVersion = z.string().regex(/^[0-9A-Za-z.+-]{1,100}$/, 'must be a version such as 0.2.10')
export const CodeDigest = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hexadecimal digits')

/** How a desk is, in a beat and in a health response. */
export const DeskReport = z
  .object({
    version: SidecarVersion,
    /** SHA-256 of the sidecar's code. */
    digest: CodeDigest.nullable(),
    /** Builds that run now. An update waits until there are none. */
    builds_running: z.int().min(0).max(1_000_000),
    /** Files that are still to be sent. */
    pending_sync_count: z.int().min(0).max(1_000_000_000),
    /** Whether the login of the runtime has expired. */
    login_expired: z.boolean(),
    /** Seconds since the last handshake with the hub; 0 where there is no mesh, null if there was none. */
    link_age_s: z.int().min(0).max(100_000_000).nullable(),
  })
  .meta({ id: 'DeskReport' })
export type DeskReport = z.infer<typeof DeskReport>

/** Path of the health check, after `sidecar_url`. The query has `nonce`: 32 random bytes in base64url. */
export const healthPath = '/v1/health'

/** DESK-39: what a sidecar returns, signed over the nonce with `healthBase`. */
export const DeskHealth = DeskReport.extend({ env_id: Uuid, boot_id: Uuid }).meta({ id: 'DeskHealth' })
export type DeskHealth = z.infer<typeof DeskHealth>

/** More is no sidecar. */
export const maxBundleBytes = 16 * 1024 * 1024

/**
 * A file of the sidecar, as `sidecar.json` beside it says. The root key, which is pinned on each desk and kept offline, has
 * signed the key that has signed the rest: whoever holds the service, or a command key, cannot make a desk run another file.
 */
export const SidecarBundle = z.object({
  version: SidecarVersion,
  /** Once a desk runs this version, it takes none that is older than its floor. */
  floor: SidecarVersion,
  bytes: z.int().min(1).max(maxBundleBytes),
  sha256: CodeDigest,
  /** Over `bundleBase`, by `key`. */
  signature: Signature,
  key: PublicKey,
  /** Over `bundleKeyBase`, by the root key. */
  key_signature: Signature,
})
export type SidecarBundle = z.infer<typeof SidecarBundle>

/** Machines that a sidecar runs on, as Node names them. */
export const machineKinds = ['x64', 'arm64'] as const

/**
 * The Node that a desk runs its sidecar with, as `node-linux-<arch>.json` beside it says. It comes from the service like the
 * sidecar, so that a machine needs no other host to join.
 */
export const NodeProgram = z.object({
  version: SidecarVersion,
  arch: z.enum(machineKinds),
  /** Of the file, which is compressed by gzip. */
  bytes: z
    .int()
    .min(1)
    .max(256 * 1024 * 1024),
  sha256: CodeDigest,
  /** Of what is in it. */
  program_sha256: CodeDigest,
  /** Over `nodeBase`, by `key`. */
  signature: Signature,
  key: PublicKey,
  /** As in a bundle. */
  key_signature: Signature,
})
export type NodeProgram = z.infer<typeof NodeProgram>

/** The npm that brings coding tools to a desk, as `npm.json` beside it says: a package of npm, so that no registry has to be known. */
export const NpmPackage = z.object({
  version: SidecarVersion,
  bytes: z
    .int()
    .min(1)
    .max(64 * 1024 * 1024),
  sha256: CodeDigest,
  /** Over `npmBase`, by `key`. */
  signature: Signature,
  key: PublicKey,
  /** As in a bundle. */
  key_signature: Signature,
})
export type NpmPackage = z.infer<typeof NpmPackage>

const command = { id: Uuid, desk_id: Uuid, issued_at: Timestamp, expires_at: Timestamp }

/**
 * What the payload of a signed command says. A desk does nothing after `expires_at`, nothing that names another desk, and
 * nothing twice.
 */
export const DeskCommand = z.discriminatedUnion('kind', [
  /** The file is fetched by its digest, from the service that the desk has joined. */
  z.object({ ...command, kind: z.literal('update'), bundle: SidecarBundle }),
  z.object({ ...command, kind: z.literal('rotate_key') }),
  z.object({ ...command, kind: z.literal('collect_logs') }),
  /** Takes no new build until it is given again with `is_on` false. */
  z.object({ ...command, kind: z.literal('drain'), is_on: z.boolean() }),
])
export type DeskCommand = z.infer<typeof DeskCommand>

export const SignedCommand = z.object({
  /** A `DeskCommand` as JSON. */
  payload: z.string().max(4000),
  /** Over `commandBase(payload)`, by the command key that the desk knows. */
  signature: Signature,
})
export type SignedCommand = z.infer<typeof SignedCommand>

/** A new key that commands are signed with, which the one before has signed. */
export const NewCommandKey = z.object({
  key: PublicKey,
  /** Over `commandKeyBase`. */
  signature: Signature,
})
export type NewCommandKey = z.infer<typeof NewCommandKey>

/**
 * What became of a command; repeated in every beat until one is accepted. An update is first `accepted` (it waits until no
 * build runs), then `running`.
 */
export const CommandResult = z.object({
  id: Uuid,
  outcome: z.enum(['accepted', 'running', 'done', 'failed', 'refused']),
  error: z.string().max(500).nullable(),
})
export type CommandResult = z.infer<typeof CommandResult>

export const maxCommands = 20
/** How long a desk may begin with a command. */
export const commandMinutes = 10
