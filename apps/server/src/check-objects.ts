import type pg from 'pg'
import type { Outside } from '#platform/ctx/outside.ts'
import type { ListedObject, Storage } from '#platform/storage/storage.ts'

export interface ObjectsFound {
  /** Files and pictures that rows name. */
  readonly named: number
  /** Deleted since the restored moment, and there again. */
  readonly brought_back: number
  /** Missing for good, or of another size. */
  readonly faults: number
  /** The first of them. */
  readonly shown: readonly string[]
}

interface NamedObject {
  readonly key: string
  /** Where the row says it. */
  readonly size: number | null
}

const page = 1000
const shown = 20

const named = `select object_key as key, size::float8 as size from boards.attachments
 union all select object_key, null from workspaces.member_photos
 union all select object_key, null from fleet.desk_photos`

/**
 * The rows of a moment are the list of its objects: each has to be in the storage. What was deleted since is fetched from its
 * older versions, where the bucket keeps them. Both lists come in the order of their bytes and in pages, so it does not matter
 * how long they are. Undefined where no storage is configured: nothing can be said then.
 */
export async function checkObjects(
  client: pg.Client,
  outside: Outside,
  storage: Storage,
  limit: number = page,
): Promise<ObjectsFound | undefined> {
  if (!storage.is_configured) return undefined
  const stored = listAll(outside, storage, limit)
  const faults: string[] = []
  const found = { named: 0, brought_back: 0, faults: 0 }
  const fail = (what: string) => {
    found.faults += 1
    if (faults.length < shown) faults.push(what)
  }
  let at = await stored.next()
  for await (const { key, size } of listNamed(client, limit)) {
    found.named += 1
    while (!at.done && isBefore(at.value.key, key)) at = await stored.next()
    if (at.done || at.value.key !== key) {
      if (await storage.bringBack(outside, key)) found.brought_back += 1
      else fail(key)
    } else if (size !== null && at.value.size !== size)
      fail(`${key}: ${at.value.size} bytes, should be ${size}`)
  }
  return { ...found, shown: faults }
}

/** As storages sort. */
const isBefore = (a: string, b: string): boolean => Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0

async function* listAll(outside: Outside, storage: Storage, limit: number): AsyncGenerator<ListedObject> {
  for (let after: string | undefined; ; ) {
    const objects = await storage.list(outside, '', after === undefined ? { limit } : { limit, after })
    yield* objects
    after = objects.at(-1)?.key
    if (after === undefined) return
  }
}

async function* listNamed(client: pg.Client, limit: number): AsyncGenerator<NamedObject> {
  // Held by the server beyond its transaction: none stays open while the storage is asked.
  await client.query(`declare named_objects no scroll cursor with hold for select key, size from (${named}) o
    order by key collate "C"`)
  try {
    for (;;) {
      const { rows } = await client.query<NamedObject>(`fetch ${limit} from named_objects`)
      if (rows.length === 0) return
      yield* rows
    }
  } finally {
    await client.query('close named_objects')
  }
}
