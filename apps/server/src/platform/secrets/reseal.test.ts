import { expect, test } from 'vitest'
import { createKeyRing } from '#platform/secrets/key-ring.ts'
import type { SealedTable } from '#platform/secrets/reseal.ts'
import { createSecretBox, type SecretBox } from '#platform/secrets/secret-box.ts'

const [oldKey, newKey] = ['the-key-of-an-installation', 'the-next-key-of-it']
const before = createSecretBox(createKeyRing(oldKey))
const rotated = createSecretBox(createKeyRing(newKey, [oldKey]))
const after = createSecretBox(createKeyRing(newKey))

interface Row {
  readonly id: number
  sealed: [Buffer, Buffer | null]
}
const rowsOf = (count: number, box: SecretBox): Row[] =>
  Array.from({ length: count }, (_, id) => ({
    id,
    sealed: [box.seal(`row:${id}`, `secret ${id}`), id % 2 === 0 ? null : box.seal(`row:${id}`, `old ${id}`)],
  }))
function tableOf(rows: Row[]): SealedTable<Row> {
  return {
    list: async (after, limit) => rows.filter(({ id }) => id > (after?.id ?? -1)).slice(0, limit),
    sealedIn: ({ id, sealed }) => sealed.map((value) => ({ place: `row:${id}`, value })),
    update: async (row, [first = row.sealed[0], second = row.sealed[1]]) => {
      row.sealed = [first, second]
      return 1
    },
  }
}

test.each([0, 1, 199, 200, 201, 450])(
  'S15: all of %i rows lie under the new key afterwards',
  async (count) => {
    const rows = rowsOf(count, before)
    expect(await rotated.resealTable(tableOf(rows))).toEqual({ moved: count, lost: 0 })
    for (const { id, sealed } of rows) {
      expect(after.open(`row:${id}`, sealed[0])).toBe(`secret ${id}`)
      expect(sealed[1] && after.open(`row:${id}`, sealed[1])).toBe(id % 2 === 0 ? null : `old ${id}`)
    }
    expect(await rotated.resealTable(tableOf(rows))).toEqual({ moved: 0, lost: 0 })
  },
)

test('what no key opens stays, and is counted', async () => {
  const rows = rowsOf(3, createSecretBox(createKeyRing('the-key-of-somebody-else')))
  const was = rows.map(({ sealed }) => sealed)
  expect(await rotated.resealTable(tableOf(rows))).toEqual({ moved: 0, lost: 4 })
  expect(rows.map(({ sealed }) => sealed)).toEqual(was)
})

test('without other keys nothing is read', async () => {
  const table = { ...tableOf([]), list: () => Promise.reject(new Error('read')) }
  expect(await after.resealTable(table)).toEqual({ moved: 0, lost: 0 })
})
