import { getBuildSettings } from '@crewhall/contracts/fleet/desk-builds.ts'
import { exchangeMemory } from '@crewhall/contracts/fleet/desk-memory.ts'
import { handle } from '#platform/http/handle.ts'
import { readBuildSettings } from './desk-builds.service.ts'
import * as memory from './desk-memory.service.ts'

export const syncRoutes = [
  handle(exchangeMemory, (ctx, { body }) => memory.exchangeMemory(ctx, body)),
  handle(getBuildSettings, (ctx, { body }) => readBuildSettings(ctx, body)),
]
