import { randomUUID } from 'node:crypto'
import { identified, type MatrixPart, type NewWorkspace, type Scene, type Value } from '../part.ts'

/** A public address that needs no name server, and to which nothing is sent: no worker runs. */
const url = 'https://93.184.215.14/hook'

export const webhooksPart: MatrixPart = {
  resources: {
    webhook: {
      ...identified,
      fresh: (call) => (call.kinds.includes('webhook_delivery') ? undefined : replaceWebhook(call)),
    },
    webhook_delivery: { ...identified, fresh: (call) => addDelivery(call, call.own.webhook) },
  },
  bodies: {
    'webhooks.createWebhook': { url, events: ['run.finished'] },
    'webhooks.changeWebhook': { events: ['run.*'] },
  },
  refused_as: {
    'webhooks.createWebhook body.board_ids': 422,
    'webhooks.changeWebhook body.board_ids': 422,
  },
  async rows(workspace: NewWorkspace) {
    const webhook = await addWebhook(workspace, `D ${workspace.mark}`)
    return { webhook, webhook_delivery: await addDelivery(workspace, webhook) }
  },
  tenant_rows: `
    insert into webhooks.endpoints (brand_id, id, url, events, secret)
    select id, gen_random_uuid(), 'https://example.com/', '{*}', decode('00', 'hex') from identity.brands;
    insert into webhooks.deliveries (brand_id, webhook_id, event, payload)
    select brand_id, id, 'board.created', '{}' from webhooks.endpoints;
    insert into webhooks.arrivals (brand_id, webhook_id) select brand_id, id from webhooks.endpoints`,
  empty_tables: ['webhooks.arrivals'],
}

/** A webhook for a call that may end it. Those of earlier calls go: a workspace has room for few. */
async function replaceWebhook(scene: Scene): Promise<string> {
  const description = `fresh ${scene.mark}`
  await scene.admin.query('delete from webhooks.endpoints where brand_id = $1 and description = $2', [
    scene.brand_id,
    description,
  ])
  return addWebhook(scene, description)
}

async function addWebhook({ admin, brand_id }: Scene, description: string): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into webhooks.endpoints (brand_id, id, url, description, events, secret)
     values ($1, $2, $3, $4, '{run.finished}', '\\x00')`,
    [brand_id, id, url, description],
  )
  return id
}

/** A delivery that got through. */
async function addDelivery({ admin, brand_id, mark }: Scene, webhook_id: Value | undefined): Promise<string> {
  const id = randomUUID()
  await admin.query(
    `insert into webhooks.deliveries (brand_id, id, webhook_id, event, payload, status, next_attempt_at)
     values ($1, $2, $3, 'run.finished', $4, 'delivered', null)`,
    [brand_id, id, webhook_id, JSON.stringify({ mark })],
  )
  return id
}
