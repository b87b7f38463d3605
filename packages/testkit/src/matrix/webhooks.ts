import { randomUUID } from 'node:crypto'
import type pg from 'pg'

/** A webhook with a delivery that got through. */
export interface MatrixWebhook {
  readonly webhook_id: string
  readonly delivery_id: string
}

/** A public address that needs no name server, and to which nothing is sent: no worker runs. */
export const matrixHookUrl = 'https://93.184.215.14/hook'

export async function createMatrixWebhook(
  admin: pg.Client,
  brand_id: number,
  mark: string,
): Promise<MatrixWebhook> {
  const webhook_id = await addWebhook(admin, brand_id, `D ${mark}`)
  return { webhook_id, delivery_id: await freshDelivery(admin, { brand_id, webhook_id, mark }) }
}

/** A webhook for a call that may end it. Those of earlier calls go: a workspace has room for few. */
export async function freshWebhook(admin: pg.Client, brand_id: number, mark: string): Promise<string> {
  const description = `fresh ${mark}`
  await admin.query('delete from webhooks.endpoints where brand_id = $1 and description = $2', [
    brand_id,
    description,
  ])
  return addWebhook(admin, brand_id, description)
}

async function addWebhook(admin: pg.Client, brand_id: number, description: string): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into webhooks.endpoints (brand_id, id, url, description, events, secret)
     values ($1, $2, $3, $4, '{run.finished}', '\\x00')`,
    [brand_id, id, matrixHookUrl, description],
  )
  return id
}

/** A delivery of that webhook, for a call that may send it again. */
export async function freshDelivery(
  admin: pg.Client,
  { brand_id, webhook_id, mark }: { brand_id: number; webhook_id: string; mark: string },
): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into webhooks.deliveries (brand_id, id, webhook_id, event, payload, status, next_attempt_at)
     values ($1, $2, $3, 'run.finished', $4, 'delivered', null)`,
    [brand_id, id, webhook_id, JSON.stringify({ mark })],
  )
  return id
}
