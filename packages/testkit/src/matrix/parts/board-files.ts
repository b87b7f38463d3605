import { randomUUID } from 'node:crypto'
import { formOf } from '../../people.ts'
import type { NewWorkspace, Scene, Value } from '../part.ts'

// What hangs on cards and boards besides their texts.

/** With its bytes, which are downloaded. */
export async function sendAttachment(
  { get, owner: { cookie }, mark }: NewWorkspace,
  card: string,
): Promise<string> {
  const body = formOf('file', Buffer.from(`F ${mark}`), `F ${mark}`)
  const response = await get(`/api/v1/board/tasks/${card}/attachments`, {
    method: 'POST',
    headers: { cookie },
    body,
  })
  const { id } = (await response.json()) as { id: string }
  if (response.status !== 201) throw new Error(`the attachment was answered ${response.status}`)
  return id
}

/** Whoever removes it has to find it; its object is missed by nobody. */
export async function addAttachment(
  { admin, brand_id, mark }: Scene,
  card_id: Value | undefined,
  person_id = 1,
): Promise<string> {
  const id = randomUUID()
  const actor = JSON.stringify({ kind: 'member', id: String(person_id), name: 'A', on_behalf_of: null })
  await admin.query(
    `insert into boards.attachments (brand_id, id, card_id, object_key, name, content_type, size, sha256, preview, created_by)
     values ($1, $2, $3, 'attachments/' || $1::int || '/' || $2::uuid, $4, 'text/plain', 1, repeat('0', 64), $4, $5)`,
    [brand_id, id, card_id, `F ${mark}`, actor],
  )
  return id
}

/** Started if that was earlier. */
export async function addCycle(
  { admin, brand_id, mark }: Scene,
  board_id: Value | undefined,
  started_at: string | null = null,
): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into boards.cycles (brand_id, id, board_id, name, starts_on, ends_on, started_at)
     values ($1, $2, $3, $4, coalesce($5::date, '2026-03-09'), coalesce($5::date, '2026-03-22'), $5::date)`,
    [brand_id, id, board_id, `Y ${mark}`, started_at],
  )
  return id
}
