import { featureHoldings } from '#modules/workspaces'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import type { Config } from '../../config.ts'
import { conversationRowsOfBrand } from './erasure/erase-conversations.service.ts'
import { retirements } from './sources/retired-agents.service.ts'
import { sourceRoutes } from './sources/sources.routes.ts'
import { countSources } from './sources/sources.service.ts'

interface Deps {
  readonly cursors: Cursors
  readonly secret_box: SecretBox
  readonly config: Pick<Config, 'CONVERSATIONS_ROOT'>
}

export function createConversations({ cursors, secret_box, config }: Deps): Module {
  const reads_directories = config.CONVERSATIONS_ROOT !== undefined
  return {
    routes: [...sourceRoutes({ secret_box, cursors, reads_directories })],
    listeners: [retirements],
    fills: [
      fill(featureHoldings, { feature: 'feed', count: countSources }),
      // Names of people stand nowhere here, so there is no part for a person.
      fill(erasureParts, { part: 'conversations', brand: emptying(...conversationRowsOfBrand) }),
    ],
  }
}
