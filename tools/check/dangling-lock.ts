interface Entry {
  optionalDependencies?: Record<string, string>
}
export interface OptionalLock {
  packages: Record<string, Entry>
}

/**
 * Platform binaries that a package lists but the lock has no entry for, because the registry did not have
 * them when the lock was written. `npm install` skips them in silence; `npm ci` refuses the whole lock.
 */
export function listDangling({ packages }: OptionalLock): { key: string; name: string }[] {
  return Object.entries(packages).flatMap(([key, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !resolves(packages, key, name))
      .map((name) => ({ key, name })),
  )
}

/** Removes dangling names from their parents. Returns how many. */
export function tidyLock(lock: OptionalLock): number {
  const dangling = listDangling(lock)
  for (const { key, name } of dangling) {
    const entry = lock.packages[key]
    if (entry?.optionalDependencies) delete entry.optionalDependencies[name]
    if (entry && Object.keys(entry.optionalDependencies ?? {}).length === 0) delete entry.optionalDependencies
  }
  return dangling.length
}

/** Node's own walk: the folder of the package, then the folders above it. */
function resolves(packages: Record<string, Entry>, key: string, name: string): boolean {
  for (let base = key; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    if (`${base}${base ? '/' : ''}node_modules/${name}` in packages) return true
    if (base === '') return false
  }
}
