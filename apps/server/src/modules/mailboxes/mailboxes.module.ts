import type { Config } from '../../config.ts'
import { addressJobs } from './addresses/addresses.jobs.ts'
import { addressRoutes } from './addresses/addresses.routes.ts'
import { firstAddresses } from './addresses/addresses.service.ts'
import { namesErasure } from './addresses/erase-names.service.ts'
import { roleNames } from './addresses/names.rules.ts'

interface Deps {
  readonly config: Pick<Config, 'MAIL_DOMAIN' | 'SERVICE_NAME' | 'MAIL_RESERVED_NAMES'>
}

export function createMailboxes({ config }: Deps) {
  const deps = {
    domain: config.MAIL_DOMAIN,
    service_name: config.SERVICE_NAME,
    reserved: new Set([...roleNames, ...config.MAIL_RESERVED_NAMES]),
  }
  return {
    routes: addressRoutes(deps),
    jobs: addressJobs,
    new_person: firstAddresses(deps),
    erasure: namesErasure(deps),
  }
}
