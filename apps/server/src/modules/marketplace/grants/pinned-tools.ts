import type { PinnedTool } from '@crewhall/contracts/marketplace/installs.ts'

/**
 * Definitions by install and digest. What has a digest never changes, so nothing here can be out of date: it is only
 * forgotten, the longest unused first.
 */
export class PinnedTools {
  readonly #limit: number
  readonly #kept = new Map<string, { readonly tools: readonly PinnedTool[]; readonly characters: number }>()
  #characters = 0

  constructor(limit_characters: number) {
    this.#limit = limit_characters
  }

  async find(
    key: string,
    read: () => Promise<readonly PinnedTool[] | undefined>,
  ): Promise<readonly PinnedTool[] | undefined> {
    const known = this.#kept.get(key)
    if (known) {
      this.#kept.delete(key)
      this.#kept.set(key, known)
      return known.tools
    }
    const tools = await read()
    if (tools && !this.#kept.has(key)) this.#keep(key, tools)
    return tools
  }

  #keep(key: string, tools: readonly PinnedTool[]): void {
    const characters = JSON.stringify(tools).length
    this.#kept.set(key, { tools, characters })
    this.#characters += characters
    for (const [oldest, { characters }] of this.#kept) {
      if (this.#characters <= this.#limit) return
      this.#kept.delete(oldest)
      this.#characters -= characters
    }
  }
}
