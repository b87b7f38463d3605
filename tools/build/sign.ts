import { keepKey, openKey, publicHalf, signBundle, signKey, signNode, signNpm } from './bundle-signing.ts'

const usage = `usage: npm run sign -- root <file>                        make the root key, which stays offline
       npm run sign -- key <file> <root file>             make a key that signs bundles
       npm run sign -- bundle <folder> <key file> [floor] sign sidecar.mjs in a folder
       npm run sign -- node <folder> <key file> <x64|arm64> <version> <program>
                                                          pack and sign the Node that desks run it with
       npm run sign -- npm <folder> <key file> <version> <package>
                                                          sign the npm that brings coding tools to desks`

/** Makes keys, and signs what updates install. */
async function main([verb, ...args]: readonly string[]): Promise<string> {
  const [first, second, third, version, file] = args
  if (verb === 'root' && first && !second) return `root key ${publicHalf(await keepKey(first))}`
  if (verb === 'key' && first && second)
    return `signing key ${(await signKey(first, await openKey(second))).key}`
  if (verb === 'bundle' && first && second) {
    const { version, sha256 } = await signBundle(first, second, third)
    return `signed ${version} sha256:${sha256}`
  }
  if (verb === 'node' && first && second && third && version && file) {
    const { bytes, sha256 } = await signNode(first, second, { arch: third, version, file })
    return `signed Node ${version} for ${third}, ${bytes} bytes, sha256:${sha256}`
  }
  if (verb === 'npm' && first && second && third && version) {
    const { bytes, sha256 } = await signNpm(first, second, { version: third, file: version })
    return `signed npm ${third}, ${bytes} bytes, sha256:${sha256}`
  }
  throw new Error(usage)
}

try {
  console.log(await main(process.argv.slice(2)))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
