import { readFile } from 'node:fs/promises'
import { runtimes } from '@crewhall/contracts/fleet/desk.ts'
import { PublicKey } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { BuildDesk } from '@crewhall/contracts/profiles/build-settings.ts'
import { Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'

const AbsolutePath = z.string().regex(/^\/[^\0]*$/, 'must be an absolute path')

const Settings = z.strictObject({
  /** Where the service is reached. */
  server_url: z.url({ protocol: /^https?$/ }),
  /** Which desk this machine is. */
  env_id: Uuid,
  runtime: z.enum(runtimes).default('claude_code'),
  /** Keys and state; only the user of the sidecar may enter it. */
  state_dir: AbsolutePath,
  /** Holds the join secret until the desk has registered; the file is removed then. */
  join_secret_file: AbsolutePath.optional(),
  /** The one address on which health is served; without it that of the desk in the private network, which it joins. */
  health_address: z.union([z.ipv4(), z.ipv6()]).optional(),
  health_port: z.int().min(1).max(65535).default(8787),
  /** Network device of this desk in the private network. */
  mesh_device: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,14}$/)
    .default('crewdesk0'),
  /** Sessions of coding tools that become memories; nothing is sent without it. */
  transcripts: z
    .strictObject({
      directory: AbsolutePath,
      source_id: Uuid,
      /** Holds an access token with the scope `memory:write`. */
      token_file: AbsolutePath,
      interval_s: z.int().min(1).max(3600).default(60),
    })
    .optional(),
  /** Lets the service replace this sidecar; without it updates are refused. */
  updates: z
    .strictObject({
      /** Holds the versions and the link to the one that runs. */
      directory: AbsolutePath,
      /** The public half of the root key of bundles. */
      root_key: PublicKey,
      /** How long a new version has to live after the service has heard it. */
      probation_s: z.int().min(1).max(600).default(12),
      /** How long it may take for that. */
      trial_s: z.int().min(2).max(3600).default(60),
    })
    .optional(),
  /** The coder profile that builds start with; without it they have the settings of the machine. */
  profile: z
    .strictObject({
      ...BuildDesk.shape,
      key: z.string().max(200),
      interval_s: z.int().min(1).max(86_400).default(300),
    })
    .optional(),
  /** The MEMORY.md that gets the memories of the agent of this desk; none is written without it. */
  memory_file: z
    .strictObject({ path: AbsolutePath, interval_s: z.int().min(1).max(86_400).default(300) })
    .optional(),
  /** Holds the workspaces of desks: below it stand token and files of the employee that works here. */
  workspaces_dir: AbsolutePath.default('/srv/crewhall'),
  /** Tells machines apart: two desks on one are noticed by it. */
  machine_id_file: AbsolutePath.default('/etc/machine-id'),
})
export type Settings = z.infer<typeof Settings>

/** From the file that `SIDECAR_SETTINGS` names. Arguments and environment hold no settings, because others can read them. */
export async function readSettings(): Promise<Settings> {
  const path = process.env.SIDECAR_SETTINGS ?? '/etc/crewhall/sidecar.json'
  const read = Settings.safeParse(JSON.parse(await readFile(path, 'utf8')))
  if (read.success) return read.data
  throw new Error(`${path}: ${z.prettifyError(read.error)}`)
}

/** Where the service asks how this desk is. */
export const urlAt = (address: string, port: number): string =>
  `http://${address.includes(':') ? `[${address}]` : address}:${port}`

/** Crashes that a test wants; nothing on a desk. */
export const faultPlan = (): string | undefined => process.env.TEST_FAULT_POINTS

/** The variables that this process was started with, for a build that goes on with them. */
export const inheritedEnv = (): NodeJS.ProcessEnv => process.env
