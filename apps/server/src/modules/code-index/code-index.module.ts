import { knownProjects } from '#modules/boards'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import { sweeps } from '#platform/jobs/sweep.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import type { Config } from '../../config.ts'
import { projectRowsOfBrand } from './erasure/erase-projects.service.ts'
import { factsSweep } from './nodes/facts-cache.service.ts'
import { projectRoutes } from './projects/projects.routes.ts'
import { isProject } from './projects/projects.service.ts'
import { stagingSweep } from './publication/staging.service.ts'
import { repositoryJobs } from './repositories/repositories.jobs.ts'
import { repositoryRoutes } from './repositories/repositories.routes.ts'

interface Deps {
  readonly cursors: Cursors
  readonly outbound: Outbound
  readonly secret_box: SecretBox
  readonly config: Pick<Config, 'CODE_INDEX_FILE_ROOT'>
}

export function createCodeIndex({ cursors, outbound, secret_box, config }: Deps): Module {
  const file_root = config.CODE_INDEX_FILE_ROOT
  return {
    routes: [...projectRoutes(cursors), ...repositoryRoutes({ outbound, secret_box, file_root })],
    jobs: [...repositoryJobs(secret_box)],
    // Names of people stand nowhere here, so there is no part for a person.
    fills: [
      fill(knownProjects, { isProject }),
      fill(sweeps, stagingSweep, factsSweep),
      fill(erasureParts, { part: 'code_index', brand: emptying(...projectRowsOfBrand) }),
    ],
  }
}
