import type { BackedUpPostgres } from './backed-up-postgres.ts'
import type { DrillProduct } from './drill-product.ts'

interface Page {
  readonly items: readonly { readonly id: string | number }[]
  readonly next_cursor: string | null
  readonly older_cursor?: string | null
}

interface List {
  readonly name: string
  readonly path: string
  /** The parameter that takes a cursor. */
  readonly by: 'since' | 'cursor'
  /** Whoever starts gets the newest, and reads back for the rest. */
  readonly is_read_back?: true
  /** To a cursor of another timeline. */
  readonly refused: number
  /** All that a reader has to find. */
  readonly rows: string
}

/** Who follows the feed of a board, the audit log and the deliveries of a webhook. */
export class Readers {
  readonly #product: DrillProduct
  readonly #lists: readonly List[]
  #places: readonly (string | null)[] = []

  constructor(product: DrillProduct, board: string, webhook: string) {
    this.#product = product
    const ofBrand = `brand_id = ${product.brandId}`
    this.#lists = [
      {
        name: 'feed',
        path: `/api/v1/board/activity/boards/${board}?limit=50`,
        by: 'since',
        is_read_back: true,
        refused: 410,
        rows: `select id::text from boards.activity where board_id = '${board}'`,
      },
      {
        name: 'audit',
        path: `${product.brand}/audit?limit=50`,
        by: 'since',
        refused: 410,
        rows: `select id::text from platform.audit_entries where ${ofBrand}`,
      },
      {
        name: 'deliveries',
        path: `/api/v1/webhooks/${webhook}/deliveries?limit=5`,
        by: 'cursor',
        refused: 422,
        rows: `select id::text from webhooks.deliveries where webhook_id = '${webhook}'`,
      },
    ]
  }

  /** Where they stand when the accident happens: behind the moment that will be restored. */
  async remember(): Promise<void> {
    this.#places = await Promise.all(
      this.#lists.map(async (list) =>
        list.by === 'cursor' ? await this.#first(list) : await this.#last(list),
      ),
    )
  }

  /** Each is told to start again, reads `add` on from there, and has all rows then. */
  async startAgain(postgres: BackedUpPostgres, port: number, add: () => Promise<void>): Promise<string> {
    for (const [at, list] of this.#lists.entries()) {
      const { status } = await this.#ask(list, this.#places[at] ?? null)
      if (status !== list.refused) throw new Error(`${list.name}: an old place was answered ${status}`)
    }
    const before = await Promise.all(this.#lists.map((list) => this.#walk(list)))
    await add()
    const counts: string[] = []
    for (const [at, list] of this.#lists.entries()) {
      const rows = (await postgres.query(port, list.rows)).map(({ id }) => String(id))
      const known = before[at]
      // Pages lead from the newest to the oldest, so whoever wants the new ones begins again.
      const more = await this.#walk(list, list.by === 'since' ? (known?.end ?? null) : null)
      const seen = list.by === 'since' ? [...(known?.ids ?? []), ...more.ids] : more.ids
      const isWhole = seen.length === rows.length && rows.every((id) => seen.includes(id))
      if (!isWhole || rows.length <= (known?.ids.length ?? 0))
        throw new Error(`${list.name}: ${seen.length} of ${rows.length} entries were read`)
      counts.push(`${list.name} ${rows.length}`)
    }
    return counts.join(', ')
  }

  async #first(list: List): Promise<string | null> {
    return (await this.#page(list, null)).next_cursor
  }

  async #last(list: List): Promise<string | null> {
    return (await this.#walk(list)).end
  }

  async #walk(list: List, from: string | null = null): Promise<{ ids: string[]; end: string | null }> {
    if (list.is_read_back && from === null) return this.#walkBack(list)
    const ids: string[] = []
    for (let end = from; ; ) {
      const { items, next_cursor } = await this.#page(list, end)
      ids.push(...items.map(({ id }) => String(id)))
      if (items.length === 0 || next_cursor === null) return { ids, end: next_cursor ?? end }
      end = next_cursor
    }
  }

  async #walkBack(list: List): Promise<{ ids: string[]; end: string | null }> {
    const { next_cursor: end } = await this.#page(list, null)
    const ids: string[] = []
    for (let before: string | null = 'now'; before !== null; ) {
      const path = `${list.path}&before=${encodeURIComponent(before)}`
      const page: Page = await this.#product.must(200, this.#product.asOwner(path))
      ids.push(...page.items.map(({ id }) => String(id)))
      before = page.older_cursor ?? null
    }
    return { ids, end }
  }

  async #page(list: List, from: string | null): Promise<Page> {
    return this.#product.must(200, this.#ask(list, from))
  }

  #ask = (list: List, from: string | null): Promise<Response> =>
    this.#product.asOwner(from === null ? list.path : `${list.path}&${list.by}=${encodeURIComponent(from)}`)
}
