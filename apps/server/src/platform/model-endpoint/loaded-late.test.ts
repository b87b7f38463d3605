import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Prints which packages are loaded with the parts of a process. */
const script = (more: string) => `
  import { registerHooks } from 'node:module'
  const packages = new Set()
  registerHooks({
    load(url, context, next) {
      const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)\\/(?!.*node_modules)/.exec(url)?.[1]
      if (name) packages.add(name)
      return next(url, context)
    },
  })
  await import(${JSON.stringify(new URL('../../parts.ts', import.meta.url).href)})
  ${more}
  console.log(JSON.stringify([...packages]))`

async function loaded(more = ''): Promise<string[]> {
  const args = ['--input-type=module', '--eval', script(more)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
  return JSON.parse(stdout) as string[]
}

const isOfModels = (name: string): boolean => name === 'openai' || name.startsWith('@energetic-ai/')

test('a process starts without the packages of models', async () => {
  const packages = await loaded()
  expect(packages).toContain('zod')
  expect(packages.filter(isOfModels)).toEqual([])
  // What would be seen if they were loaded.
  expect((await loaded("await import('openai')")).filter(isOfModels)).toEqual(['openai'])
})
