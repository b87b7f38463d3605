import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import {
  machineKinds,
  NodeProgram,
  NpmPackage,
  SidecarBundle,
} from '@crewhall/contracts/fleet/desk-protocol.ts'
import type { z } from 'zod'

/** A file that desks fetch by its digest. */
export interface DeskFile {
  readonly sha256: string
  readonly bytes: number
  open(): Readable
}

/**
 * What is installed on desks: files in a folder of the operator, as `npm run sign` leaves them. Read whenever it is needed,
 * so that new ones are found without a restart. Desks verify them; here nothing is run.
 */
export class Bundles {
  readonly #folder: string | undefined
  readonly #complain: (error: unknown) => void

  constructor(folder: string | undefined, complain: (error: unknown) => void) {
    this.#folder = folder
    this.#complain = complain
  }

  async find(): Promise<SidecarBundle | undefined> {
    const found = await this.#read('sidecar.json').catch(this.#complain)
    if (found === undefined) return undefined
    const bundle = SidecarBundle.safeParse(found)
    // Updates wait until the operator has mended it.
    if (!bundle.success) this.#complain(bundle.error)
    return bundle.data
  }

  /** For each kind of machine for which there is one. */
  async findNodes(): Promise<readonly NodeProgram[]> {
    const found = await Promise.all(
      machineKinds.map((arch) => this.#findOptional(`${nodeName(arch)}.json`, NodeProgram)),
    )
    return found.flatMap((node) => node ?? [])
  }

  findNpm(): Promise<NpmPackage | undefined> {
    return this.#findOptional('npm.json', NpmPackage)
  }

  /** By its digest, if it is among those that are installed now. */
  async findFile(sha256: string): Promise<DeskFile | undefined> {
    const bundle = await this.find()
    if (bundle?.sha256 === sha256) return this.#file(bundle, 'sidecar.mjs')
    const node = (await this.findNodes()).find((each) => each.sha256 === sha256)
    if (node) return this.#file(node, `${nodeName(node.arch)}.gz`)
    const npm = await this.findNpm()
    return npm?.sha256 === sha256 ? this.#file(npm, 'npm.tgz') : undefined
  }

  /** An operator may have machines of one kind alone, and no npm for them. */
  async #findOptional<Known>(name: string, schema: z.ZodType<Known>): Promise<Known | undefined> {
    try {
      const found = await this.#read(name)
      return found === undefined ? undefined : schema.parse(found)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#complain(error)
      return undefined
    }
  }

  async #read(name: string): Promise<unknown> {
    if (this.#folder === undefined) return undefined
    return JSON.parse(await readFile(join(this.#folder, name), 'utf8'))
  }

  #file({ sha256, bytes }: { sha256: string; bytes: number }, name: string): DeskFile {
    return { sha256, bytes, open: () => createReadStream(join(this.#folder ?? '', name)) }
  }
}

const nodeName = (arch: NodeProgram['arch']): string => `node-linux-${arch}`
