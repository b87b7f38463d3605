import type { Cursors } from '#platform/cursor/cursor.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import { sweeps } from '#platform/jobs/sweep.ts'
import type { Mail } from '#platform/mail/mail.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import type { KeyRing } from '#platform/secrets/key-ring.ts'
import { createKeyedDigests } from '#platform/secrets/keyed-digests.ts'
import type { Config } from '../../config.ts'
import { entryRoutes } from './entries/entries.routes.ts'
import { entrySweeps } from './entries/entries.service.ts'
import { deleteEntries, deleteSettings, erasePersonFromInbox } from './erasure/erase-entries.service.ts'
import { dueMailJobs } from './mail/due-mail.jobs.ts'
import { mailRoutes, unsubscribeRoutes } from './mail/mail.routes.ts'
import { createUnsubscribeLinks } from './mail/unsubscribe-links.ts'
import { tellAdmins } from './telling/telling.service.ts'

interface Deps {
  readonly cursors: Cursors
  readonly mail: Mail
  readonly key_ring: KeyRing
  readonly config: Pick<Config, 'PUBLIC_URL' | 'SERVICE_NAME' | 'INBOX_MAIL_MINUTES'>
}

export function createInbox({ cursors, mail, key_ring, config }: Deps): Module {
  const { SERVICE_NAME: service_name, INBOX_MAIL_MINUTES: minutes } = config
  const public_url = config.PUBLIC_URL.replace(/\/$/, '')
  const links = createUnsubscribeLinks(createKeyedDigests(key_ring, 'inbox-unsubscribe'), public_url)
  return {
    routes: [...entryRoutes(cursors), ...mailRoutes(minutes)],
    plain_routes: unsubscribeRoutes({ links, service_name }),
    jobs: dueMailJobs({ mail, sender: { service_name, public_url }, links, minutes }),
    listeners: [tellAdmins],
    fills: [
      fill(sweeps, ...entrySweeps),
      fill(erasureParts, {
        part: 'inbox',
        person: erasePersonFromInbox,
        brand: emptying(deleteEntries, deleteSettings),
      }),
    ],
  }
}
