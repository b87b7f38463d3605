import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { Email, NewPassword } from '@crewhall/contracts/identity/sessions.ts'
import { systemCtx } from '#platform/ctx/ctx.ts'
import { Ports } from '#platform/modules/port.ts'
import { configOrExit } from './config.ts'
import { createIdentity } from './modules/identity/identity.module.ts'
import { createMailboxes } from './modules/mailboxes/mailboxes.module.ts'
import { createParts } from './parts.ts'

/** Makes somebody a platform admin before there is one who could. Safe to run again. */
const { values } = parseArgs({ options: { email: { type: 'string' }, name: { type: 'string' } } })
const email = Email.safeParse(values.email).data
const full_name = values.name?.trim()
if (!email || !full_name || full_name.length > 100) {
  leave('usage: node apps/server/src/create-staff.ts --email a@example.org --name "Ann Example" [< password]')
}
// A terminal is not asked: what is typed there would be seen and kept.
const given = process.stdin.isTTY ? '' : (await text(process.stdin)).replace(/\r?\n$/, '')
if (given && !NewPassword.safeParse(given).success) leave('The password must be 8 to 128 characters long.')
const password = given || randomBytes(18).toString('base64url')

const parts = await createParts({ ...configOrExit(), LOG_LEVEL: 'error' }, 'create-staff')
const ports = new Ports()
ports.add(createMailboxes(parts).fills ?? [])
const { ensureStaff } = createIdentity({ ...parts, ports })
const ctx = systemCtx(parts.ctx, parts.log, { kind: 'system', name: 'create-staff' })
const { person_id, created, has_new_password } = await ensureStaff(ctx, {
  email,
  full_name,
  password,
}).finally(() => parts.close())
console.log(`${email} (person ${person_id}) is a platform admin.`)
if (has_new_password && !given) console.log(`Password (shown only once): ${password}`)
if (!created && has_new_password)
  console.log(
    'The address was not confirmed, so the password was replaced and all sessions and tokens were revoked.',
  )
if (!has_new_password) console.log('The person already had an account; name and password are unchanged.')

function leave(message: string): never {
  console.error(message)
  process.exit(64)
}
