import { keepKey, openKey, publicHalf, signBundle, signKey } from './bundle-signing.ts'

const usage = `usage: npm run sign -- root <file>                        make the root key, which stays offline
       npm run sign -- key <file> <root file>             make a key that signs bundles
       npm run sign -- bundle <folder> <key file> [floor] sign sidecar.mjs in a folder`

/** Makes keys, and signs what updates install. */
async function main([verb, ...args]: readonly string[]): Promise<string> {
  const [first, second, floor] = args
  if (verb === 'root' && first && !second) return `root key ${publicHalf(await keepKey(first))}`
  if (verb === 'key' && first && second)
    return `signing key ${(await signKey(first, await openKey(second))).key}`
  if (verb === 'bundle' && first && second) {
    const { version, sha256 } = await signBundle(first, second, floor)
    return `signed ${version} sha256:${sha256}`
  }
  throw new Error(usage)
}

try {
  console.log(await main(process.argv.slice(2)))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
