import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Component, Sbom } from './sbom.ts'

interface Manifest {
  readonly name?: string
  readonly version?: string
  readonly license?: string | { readonly type?: string }
  readonly licenses?: readonly { readonly type?: string }[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

interface Locked {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>
}

interface Installed {
  /** From the folder that holds `node_modules`, as the lock names it. */
  readonly path: string
  readonly manifest: Manifest
}

/**
 * What lies in `node_modules`, as an SBOM. `npm sbom` knows nothing of a tree with one workspace in it, and from the lock alone
 * it leaves out what is needed for development as well.
 */
export function sbomOfInstalled(root: string, product: { name: string; version: string }): Sbom {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Locked
  const installed = listInstalled(root, 'node_modules')
  const own = { 'bom-ref': product.name, type: 'application', ...product }
  const components = installed.map(({ path, manifest }) =>
    componentOf(manifest, lock.packages[path]?.integrity),
  )
  const byRef = new Map(components.map((component) => [component['bom-ref'], component]))
  const places = new Map(installed.map(({ path, manifest }) => [path, refOf(manifest)]))
  const needs = new Map<string, Set<string>>()
  for (const { path, manifest } of installed) {
    const found = needs.get(refOf(manifest)) ?? new Set<string>()
    needs.set(refOf(manifest), found)
    const wanted = {
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...manifest.peerDependencies,
    }
    for (const name of Object.keys(wanted)) {
      const ref = resolveFrom(path, name, places)
      if (ref !== undefined) found.add(ref)
    }
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: own },
    components: [...byRef.values()],
    dependencies: [...needs].map(([ref, on]) => ({ ref, dependsOn: [...on] })),
  }
}

const refOf = ({ name = '', version = '' }: Manifest): string => `${name}@${version}`

function listInstalled(root: string, folder: string): Installed[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder)).flatMap((entry) => {
    const path = `${folder}/${entry}`
    // A link leads to a workspace, which is the product itself.
    if (entry.startsWith('.') || !lstatSync(join(root, path)).isDirectory()) return []
    if (entry.startsWith('@')) return listInstalled(root, path)
    const file = join(root, path, 'package.json')
    const nested = listInstalled(root, `${path}/node_modules`)
    if (!existsSync(file)) return nested
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest
    return manifest.name && manifest.version ? [{ path, manifest }, ...nested] : nested
  })
}

/** As Node finds it: beside, or in a folder above. */
function resolveFrom(path: string, name: string, places: ReadonlyMap<string, string>): string | undefined {
  let from = path
  for (;;) {
    const found = places.get(`${from === '' ? '' : `${from}/`}node_modules/${name}`)
    if (found !== undefined || from === '') return found
    const above = from.lastIndexOf('/node_modules/')
    from = above < 0 ? '' : from.slice(0, above)
  }
}

function componentOf(manifest: Manifest, integrity: string | undefined): Component {
  const { name = '', version = '' } = manifest
  const licence =
    (typeof manifest.license === 'string' ? manifest.license : manifest.license?.type) ??
    manifest.licenses?.map(({ type }) => type).join(' OR ')
  const content = integrity?.startsWith('sha512-')
    ? Buffer.from(integrity.slice(7), 'base64').toString('hex')
    : undefined
  return {
    'bom-ref': refOf(manifest),
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(licence ? { licenses: [licenceOf(licence)] } : {}),
    ...(content ? { hashes: [{ alg: 'SHA-512', content }] } : {}),
  }
}

const licenceOf = (text: string) =>
  /^[A-Za-z0-9.+-]+$/.test(text) ? { license: { id: text } } : { expression: text }
