import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  EmployeeContent,
  EmployeeKey,
  EmployeeTemplate,
  maxFileBytes,
} from '@crewhall/contracts/hires/template.ts'
import { Uuid } from '@crewhall/contracts/wire.ts'
import { z } from 'zod'
import { isPlainName } from './template.rules.ts'

/** `employee.json`: the texts of its files stand beside it, those of all employees in `shared`. */
const Manifest = z.strictObject({
  // The same in every installation, so that scripts and documentation can name it.
  profile_id: Uuid,
  key: EmployeeKey,
  ...EmployeeContent.omit({ template: true }).shape,
  ...EmployeeTemplate.omit({ files: true }).shape,
  files: z.array(z.string()),
  shared_files: z.array(z.string()),
})

export interface ShippedEmployee {
  readonly profile_id: string
  readonly key: string
  readonly content: EmployeeContent
}

const shared = 'shared'

/** The employees of a release, by key. A file that is not as it should be is an error: nothing of it is loaded. */
export async function readShipped(folder: string): Promise<ShippedEmployee[]> {
  const names = (await readdir(folder)).filter((name) => name !== shared).sort()
  return Promise.all(names.map((name) => readOne(folder, name)))
}

async function readOne(folder: string, name: string): Promise<ShippedEmployee> {
  const home = join(folder, name)
  const manifest = Manifest.parse(JSON.parse(await readText(home, 'employee.json')))
  const { profile_id, key, files: own, shared_files, ...rest } = manifest
  const { coder_profile, scopes, packages, memory_sources, ...card } = rest
  if (key !== name) throw new Error(`${home} holds the employee ${key}`)
  const files = await Promise.all([
    ...own.map((file) => readNamed(home, file)),
    ...shared_files.map((file) => readNamed(join(folder, shared), file)),
  ])
  const template = { coder_profile, scopes, packages, memory_sources, files }
  return { profile_id, key, content: { ...card, template } }
}

const readNamed = async (folder: string, name: string) => ({ name, content: await readText(folder, name) })

async function readText(folder: string, name: string): Promise<string> {
  const path = join(folder, name)
  if (!isPlainName(name)) throw new Error(`${path} is not a plain name`)
  if ((await stat(path)).size > maxFileBytes) throw new Error(`${path} is too large`)
  return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
}
