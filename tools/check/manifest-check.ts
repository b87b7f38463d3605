import type { Violation } from './repo-files.ts'

type Versions = { [name: string]: string | Versions }

const fields = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies', 'overrides']
const exact = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/

const listVersions = (versions: Versions): [string, string][] =>
  Object.entries(versions).flatMap(([name, version]) =>
    typeof version === 'string' ? [[name, version] as [string, string]] : listVersions(version),
  )

const isAllowed = (field: string, name: string, version: string): boolean =>
  exact.test(version) ||
  (version === '*' && name.startsWith('@crewhall/')) ||
  // In overrides `$name` repeats the version a dependency entry already fixes.
  (field === 'overrides' && version.startsWith('$'))

export const checkManifest = (path: string, text: string): Violation[] => {
  const manifest = JSON.parse(text) as Record<string, Versions | undefined>
  const lines = text.split('\n')
  return fields.flatMap((field) =>
    listVersions(manifest[field] ?? {})
      .filter(([name, version]) => !isAllowed(field, name, version))
      .map(([name, version]) => ({
        path,
        line: lines.findIndex((each) => each.includes(`"${name}"`) && each.includes(version)) + 1,
        rule: 'exact-version',
        message: `${field} has ${name} at ${version}; write one exact version`,
      })),
  )
}
