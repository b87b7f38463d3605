import { resolve } from 'node:path'
import { bundleSidecar } from './bundle.ts'

/** Builds what is shipped as a file, into `dist` or the folder that is named. */
const [folder = resolve(import.meta.dirname, '../../dist')] = process.argv.slice(2)
const { file, bytes, digest } = await bundleSidecar(folder)
console.log(`${file} ${bytes} bytes sha256:${digest}`)
