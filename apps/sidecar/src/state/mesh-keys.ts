import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { removeIfThere, syncFolder } from './durable-file.ts'
import { openKey, publicHalf, readKey } from './key-file.ts'

/** X25519. */
export interface MeshKey {
  /** 32 bytes in base64url. */
  readonly public_key: string
  /** In base64, for WireGuard on this machine and nobody else. */
  readonly private_key: string
}

const filesIn = (folder: string) => ({
  current: join(folder, 'mesh.pem'),
  next: join(folder, 'mesh-next.pem'),
})

const newKey = () => generateKeyPairSync('x25519').privateKey

const meshKeyOf = (key: KeyObject): MeshKey => ({
  public_key: publicHalf(key),
  private_key: Buffer.from(String(key.export({ format: 'jwk' }).d), 'base64url').toString('base64'),
})

/** The key of this desk in the private network, and while it is being replaced the one that will follow. */
export class MeshKeys {
  readonly #folder: string
  #current: MeshKey
  #next: MeshKey | undefined

  private constructor(folder: string, current: MeshKey, next: MeshKey | undefined) {
    this.#folder = folder
    this.#current = current
    this.#next = next
  }

  static async open(folder: string): Promise<MeshKeys> {
    const files = filesIn(folder)
    const current = await openKey(files.current, newKey)
    const next = await readKey(files.next)
    return new MeshKeys(folder, meshKeyOf(current), next && meshKeyOf(next))
  }

  get current(): MeshKey {
    return this.#current
  }

  get next(): MeshKey | undefined {
    return this.#next
  }

  /** The same one until it is settled which of the two it is. */
  async propose(): Promise<MeshKey> {
    this.#next ??= meshKeyOf(await openKey(filesIn(this.#folder).next, newKey))
    return this.#next
  }

  async settle(isNext: boolean): Promise<void> {
    const files = filesIn(this.#folder)
    if (this.#next === undefined) return
    if (isNext) {
      await rename(files.next, files.current)
      await syncFolder(this.#folder)
      this.#current = this.#next
    } else await removeIfThere(files.next)
    this.#next = undefined
  }

  /** For keys that another machine has as well. */
  static async discard(folder: string): Promise<void> {
    for (const path of Object.values(filesIn(folder))) await removeIfThere(path)
  }
}
