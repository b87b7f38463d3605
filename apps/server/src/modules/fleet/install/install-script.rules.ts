import type { NodeProgram, NpmPackage, SidecarBundle } from '@crewhall/contracts/fleet/desk-protocol.ts'
import type { InstallRequest } from './install-request.rules.ts'
import { quoted } from './refusal-script.rules.ts'

/** What the operator has set up for desks. */
export interface InstallFiles {
  /** Whether desks join a private network; else they are asked at an address of the machine. */
  readonly has_mesh: boolean
  readonly root_key: string
  readonly bundle: SidecarBundle
  readonly nodes: readonly NodeProgram[]
  /** Without it, machines join all the same, and lack their coding tool. */
  readonly npm: NpmPackage | undefined
}

const number = /^[1-9]\d{0,11}$/
const digest = /^[0-9a-f]{64}$/
const version = /^[0-9A-Za-z.+-]{1,100}$/
const key = /^[A-Za-z0-9_-]{43}$/
const signature = /^[A-Za-z0-9_-]{86}$/
const signed = { version, bytes: number, sha256: digest, signature, key, key_signature: signature }

/** Nothing that stands in the script is taken from anywhere without its form. */
const forms = {
  pat: /^dsk_[A-Za-z0-9_-]{43}$/,
  env_id: /^[0-9a-f-]{36}$/,
  url: /^https?:\/\/[A-Za-z0-9.:[\]_/-]{1,300}$/,
  runtime: /^[a-z_]{1,30}$/,
  has_mesh: /^(?:yes|no)$/,
  root_key: key,
  sidecar: { ...signed, floor: version },
  node: { ...signed, program_sha256: digest },
  npm: signed,
} as const

type Forms = Readonly<Record<string, RegExp>>

const line = (name: string, value: string, form: RegExp): string => {
  if (!form.test(value)) throw new Error(`the installer cannot be made: ${name} has another form`)
  return `  local ${name}=${quoted(value)}`
}

/** One for each field of a file; empty where there is no such file. */
const linesOf = (prefix: string, values: object | undefined, fields: Forms): string[] =>
  Object.entries(fields).map(([name, form]) =>
    values
      ? line(`${prefix}_${name}`, String((values as Record<string, unknown>)[name]), form)
      : `  local ${prefix}_${name}=''`,
  )

const kinds = ['x64', 'arm64'] as const
const place = '  # @values\n'

/** DESK-18: the values stand in the script itself, each as one quoted word. The same values give the same bytes. */
export function renderScript(
  template: string,
  { pat, env_id, url, runtime }: InstallRequest,
  { has_mesh, root_key, bundle, nodes, npm }: InstallFiles,
): string {
  const lines = [
    line('pat', pat, forms.pat),
    line('env_id', env_id, forms.env_id),
    line('url', url, forms.url),
    line('runtime', runtime, forms.runtime),
    line('has_mesh', has_mesh ? 'yes' : 'no', forms.has_mesh),
    line('root_key', root_key, forms.root_key),
    ...linesOf('sidecar', bundle, forms.sidecar),
    ...kinds.flatMap((kind) =>
      linesOf(
        `node_${kind}`,
        nodes.find(({ arch }) => arch === kind),
        forms.node,
      ),
    ),
    ...linesOf('npm', npm, forms.npm),
  ]
  const parts = template.split(place)
  if (parts.length !== 2) throw new Error('the installer has one place for values')
  return parts.join(`${lines.join('\n')}\n`)
}
