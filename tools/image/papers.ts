import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Runs while an image is built, in the folder of the packages that go into it: writes its SBOM (CycloneDX) and the list of
 * licences. The same packages give the same bytes.
 */

export interface Component {
  readonly 'bom-ref': string
  readonly type: string
  readonly name: string
  readonly version: string
  readonly purl?: string
  readonly licenses?: readonly { readonly license?: { id?: string; name?: string }; expression?: string }[]
  readonly [more: string]: unknown
}

export interface Sbom {
  readonly serialNumber?: string
  readonly metadata: { readonly timestamp?: string; readonly [more: string]: unknown }
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
  readonly [more: string]: unknown
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** What npm writes has a random number and the time in it, and leaves out what npm did not install. */
export function tidySbom(sbom: Sbom, others: readonly Component[], epoch: number): Sbom {
  const components = [...sbom.components, ...others].sort((a, b) => byText(a['bom-ref'], b['bom-ref']))
  const dependencies = sbom.dependencies
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: [...dependsOn].sort(byText) }))
    .sort((a, b) => byText(a.ref, b.ref))
  const metadata = { ...sbom.metadata, timestamp: new Date(epoch * 1000).toISOString() }
  const { serialNumber: _, ...rest } = sbom
  const tidy = { ...rest, metadata, components, dependencies }
  const digest = createHash('sha256').update(JSON.stringify(tidy)).digest('hex')
  return { ...tidy, serialNumber: `urn:uuid:${uuidOf(digest)}` }
}

/** A UUID of version 8, whose bits are free, from a digest. */
const uuidOf = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`

/** Each line is a source, a package and a version, as `collect-root.sh` writes them. */
export const debianComponents = (list: string): Component[] =>
  list
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [, name = '', version = ''] = line.split(' ')
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}`
      // Debian has them as texts of many parts; each text is in the image.
      const licenses = [{ license: { name: `see /usr/share/doc/${name}/copyright` } }]
      return { 'bom-ref': purl, type: 'library', name, version, purl, licenses }
    })

export const nodeComponent = (version: string): Component => {
  const purl = `pkg:generic/node@${version}`
  return {
    'bom-ref': purl,
    type: 'application',
    name: 'node',
    version,
    purl,
    licenses: [{ license: { id: 'MIT' } }],
  }
}

export function licenceList({ components }: Sbom): string {
  const lines = components.map(({ name, version, licenses = [] }) => {
    const words = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? '')
    return `${name} ${version}: ${words.filter(Boolean).join(', ') || 'UNKNOWN'}`
  })
  return `${[...new Set(lines)].sort(byText).join('\n')}\n`
}

if (import.meta.main) {
  const [folder = 'papers'] = process.argv.slice(2)
  const args = ['sbom', '--sbom-format=cyclonedx', '--omit=dev', '--workspace=apps/server']
  const found = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 1 << 26 })) as Sbom
  const others = [
    nodeComponent(process.versions.node),
    ...debianComponents(readFileSync('debian-packages.txt', 'utf8')),
  ]
  const sbom = tidySbom(found, others, Number(process.env.SOURCE_DATE_EPOCH ?? '0'))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`)
  writeFileSync(join(folder, 'licences.txt'), licenceList(sbom))
}
