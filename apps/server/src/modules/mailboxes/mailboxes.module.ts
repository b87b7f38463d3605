import { newPeople } from '#modules/identity'
import { erasureParts } from '#platform/erasure/erasure-part.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import type { Config } from '../../config.ts'
import { addressJobs } from './addresses/addresses.jobs.ts'
import { addressRoutes } from './addresses/addresses.routes.ts'
import { firstAddresses } from './addresses/addresses.service.ts'
import { namesErasure } from './addresses/erase-names.service.ts'
import { roleNames } from './addresses/names.rules.ts'

interface Deps {
  readonly config: Pick<Config, 'MAIL_DOMAIN' | 'SERVICE_NAME' | 'MAIL_RESERVED_NAMES'>
}

export function createMailboxes({ config }: Deps): Module {
  const deps = {
    domain: config.MAIL_DOMAIN,
    service_name: config.SERVICE_NAME,
    reserved: new Set([...roleNames, ...config.MAIL_RESERVED_NAMES]),
  }
  return {
    routes: addressRoutes(deps),
    jobs: addressJobs,
    fills: [fill(newPeople, firstAddresses(deps)), fill(erasureParts, namesErasure(deps))],
  }
}
