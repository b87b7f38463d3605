import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundledName, bundlesVariable, programs, root } from '@crewhall/testkit/programs.ts'
import { type Plugin, rolldown } from 'rolldown'

/** Beside the packages that the server finds. Its name says what is in it, so that runs of other sources do not meet. */
const home = join(root, 'apps/server/node_modules/.cache')
const keptMs = 24 * 60 * 60 * 1000

/** Threads, child processes, migrations and files of packages stay where they are. */
const ownPlace: Plugin = {
  name: 'own-place',
  transform: {
    filter: { code: /import\.meta\.url|\b__dirname\b/ },
    handler: (code, id) =>
      code
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
        .replaceAll(/\b__dirname\b/g, JSON.stringify(dirname(id))),
  },
}

/**
 * Joins the sources and packages of each program that tests start. Some thousand starts in a run would each find and link
 * two thousand files, which is two thirds of what a start costs.
 */
async function bundlePrograms(): Promise<string> {
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(programs.map((entry) => [bundledName(entry), entry])),
    platform: 'node',
    external: isBuiltin,
    // Modules register what they hold by being loaded.
    treeshake: { moduleSideEffects: true },
    plugins: [ownPlace],
  })
  try {
    const { output } = await bundle.generate({
      format: 'esm',
      keepNames: true,
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    })
    const files = output.flatMap((file) => (file.type === 'chunk' ? [file] : []))
    const digest = createHash('sha256')
    for (const { fileName, code } of files) digest.update(`${fileName}\0${code}\0`)
    const folder = join(home, `programs-${digest.digest('hex').slice(0, 16)}`)
    if (!existsSync(folder)) putInPlace(folder, files)
    return folder
  } finally {
    await bundle.close()
  }
}

/** Whole or not at all: another run of the same sources may be loading it. */
function putInPlace(
  folder: string,
  files: readonly { readonly fileName: string; readonly code: string }[],
): void {
  const temporary = `${folder}.${process.pid}`
  mkdirSync(temporary, { recursive: true })
  for (const { fileName, code } of files) writeFileSync(join(temporary, fileName), code)
  try {
    renameSync(temporary, folder)
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}

function dropOld(): void {
  for (const name of readdirSync(home).filter((each) => each.startsWith('programs-'))) {
    const folder = join(home, name)
    if (Date.now() - statSync(folder).mtimeMs > keptMs) rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs once before all test files. */
export async function setup(): Promise<void> {
  if (process.env.TEST_SOURCES === '1') return
  const folder = await bundlePrograms()
  utimesSync(folder, new Date(), new Date())
  dropOld()
  process.env[bundlesVariable] = folder
}
