import { type BuiltInPackageData, builtIns, methodsOf, scopesOf } from '@crewhall/contracts/tools/packages.ts'

interface Version {
  readonly version: string
  readonly touches: readonly string[]
  readonly methods: readonly { readonly name: string; readonly since: string; readonly summary: string }[]
}

export interface BuiltInPackage {
  readonly key: string
  readonly title: string
  readonly description: string
  readonly publisher: string
  readonly versions: readonly Version[]
}

/** The packages of this version of the server, from its tools. */
export const derivePackages = (): BuiltInPackage[] =>
  builtIns.map(({ key, title, description, versions }) => ({
    key,
    title,
    description,
    publisher: 'Crewhall',
    versions: versions.map((version) => deriveVersion(key, version)),
  }))

function deriveVersion(key: BuiltInPackageData['key'], version: string): Version {
  const all = methodsOf(key, version)
  const reads = all.filter(({ is_read }) => is_read).length
  const scopes = scopesOf(key, version)
  return {
    version,
    touches: [
      `${reads} methods read and ${all.length - reads} change something, never more than the caller may over HTTP.`,
      ...(scopes.length > 0 ? [`For all of them a token needs the scopes ${scopes.join(', ')}.`] : []),
    ],
    methods: all.map(({ name, since, summary }) => ({ name, since, summary })),
  }
}
