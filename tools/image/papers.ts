import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sbomOfInstalled } from './installed-packages.ts'
import type { Component, Sbom } from './sbom.ts'

/**
 * Runs while an image is built, in the folder of the packages that go into it: writes its SBOM (CycloneDX) and the list of
 * licences. The same packages give the same bytes.
 */

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** In one order whatever the folders gave, with what npm did not install, and a number that follows from the content. */
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
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  const found = sbomOfInstalled('.', { name: 'crewhall', version })
  const others = [
    nodeComponent(process.versions.node),
    ...debianComponents(readFileSync('debian-packages.txt', 'utf8')),
  ]
  const sbom = tidySbom(found, others, Number(process.env.SOURCE_DATE_EPOCH ?? '0'))
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`)
  writeFileSync(join(folder, 'licences.txt'), licenceList(sbom))
}
