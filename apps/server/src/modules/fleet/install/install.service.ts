import { hash } from 'node:crypto'
import type { NodeProgram, NpmPackage, SidecarBundle } from '@crewhall/contracts/fleet/desk-protocol.ts'
import { bundleBase, bundleKeyBase, nodeBase, npmBase } from '@crewhall/contracts/fleet/signature.ts'
import type { Detail } from '@crewhall/contracts/refusal.ts'
import type { SystemCtx } from '#platform/ctx/ctx.ts'
import { digestOf } from '../desks/join-secret.ts'
import { findSecret } from '../protocol/credentials.store.ts'
import { isSignedBy } from '../protocol/desk-key.ts'
import { type NoInstaller, notAvailable, readRequest, wrongToken } from './install-request.rules.ts'
import { type InstallFiles, renderScript } from './install-script.rules.ts'
import { refusalScript } from './refusal-script.rules.ts'

export interface InstallDeps {
  readonly template: string
  /** Public addresses of the service. */
  readonly origins: readonly string[]
  readonly root_key: string | undefined
  readonly has_mesh: boolean
  findBundle(): Promise<SidecarBundle | undefined>
  findNodes(): Promise<readonly NodeProgram[]>
  findNpm(): Promise<NpmPackage | undefined>
}

interface Script {
  readonly status: number
  readonly type: string
  readonly body: string
}

// Shown as text where a person opens it.
const type = 'text/plain; charset=utf-8'

const noInstaller = ({ status, reason, exit_code }: NoInstaller): Script => ({
  status,
  type,
  body: refusalScript(reason, exit_code),
})

export const refuseInstall = ({
  status,
  detail,
}: {
  readonly status: number
  readonly detail: Detail
}): Script =>
  noInstaller({ status, reason: typeof detail === 'string' ? detail : JSON.stringify(detail), exit_code: 1 })

/** DESK-14, DESK-G3: only for a token and the desk it belongs to. All else is a script that says why not. */
export async function renderInstaller(
  ctx: SystemCtx,
  deps: InstallDeps,
  query: URLSearchParams,
): Promise<Script> {
  const request = readRequest(query, deps.origins)
  if ('refused' in request) return noInstaller(request.refused)
  const secret = await findSecret(ctx, digestOf(request.pat))
  if (!secret?.is_open || secret.desk_id !== request.env_id) return noInstaller(wrongToken)
  const files = await findFiles(ctx, deps)
  return files
    ? { status: 200, type, body: renderScript(deps.template, request, files) }
    : noInstaller(notAvailable)
}

/** For whoever downloads the script and reads it first, in the form that `sha256sum --check` takes. */
export async function renderDigest(
  ctx: SystemCtx,
  deps: InstallDeps,
  query: URLSearchParams,
): Promise<Script> {
  const script = await renderInstaller(ctx, deps, query)
  return script.status === 200
    ? { ...script, body: `${hash('sha256', script.body)}  crewhall-install.sh\n` }
    : script
}

/** A machine would refuse what is not signed; here it is refused before anybody has run anything. */
async function findFiles(
  { log }: SystemCtx,
  { root_key, has_mesh, findBundle, findNodes, findNpm }: InstallDeps,
): Promise<InstallFiles | undefined> {
  const [bundle, nodes, npm] = await Promise.all([findBundle(), findNodes(), findNpm()])
  if (root_key === undefined || !bundle || nodes.length === 0) return undefined
  const unsigned = [
    ...(isVouchedFor(root_key, bundle, bundleBase(bundle)) ? [] : ['sidecar.mjs']),
    ...nodes.flatMap((node) =>
      isVouchedFor(root_key, node, nodeBase(node)) ? [] : [`node of ${node.arch}`],
    ),
    ...(!npm || isVouchedFor(root_key, npm, npmBase(npm)) ? [] : ['npm.tgz']),
  ]
  if (unsigned.length === 0) return { has_mesh, root_key, bundle, nodes, npm }
  log.error({ unsigned }, 'files to install are not signed under SIDECAR_ROOT_KEY, so no machine can join')
  return undefined
}

const isVouchedFor = (
  rootKey: string,
  { key, key_signature, signature }: Pick<SidecarBundle, 'key' | 'key_signature' | 'signature'>,
  text: string,
): boolean => isSignedBy(rootKey, bundleKeyBase(key), key_signature) && isSignedBy(key, text, signature)
