import { knownProjects } from '#modules/boards'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import { runGit } from '#platform/git/run-git.ts'
import { sweeps } from '#platform/jobs/sweep.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill, type Ports } from '#platform/modules/port.ts'
import type { Outbound } from '#platform/outbound/outbound.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import type { Config } from '../../config.ts'
import { projectRowsOfBrand } from './erasure/erase-projects.service.ts'
import { factsSweep } from './nodes/facts-cache.service.ts'
import { projectRoutes } from './projects/projects.routes.ts'
import { isProject } from './projects/projects.service.ts'
import { indexFollowers } from './publication/index-followers.ports.ts'
import { stagingSweep } from './publication/staging.service.ts'

import { ClonePlaces } from './repositories/clone-places.ts'
import { pushHookRoutes } from './repositories/push-hook.routes.ts'
import { repositoryJobs } from './repositories/repositories.jobs.ts'
import { repositoryRoutes } from './repositories/repositories.routes.ts'
import { runJobs } from './runs/runs.jobs.ts'
import { runRoutes } from './runs/runs.routes.ts'
import { runSweep } from './runs/runs.service.ts'
import { graphRoutes } from './walk/graph.routes.ts'

interface Deps {
  readonly cursors: Cursors
  readonly outbound: Outbound
  readonly secret_box: SecretBox
  readonly ports: Ports
  readonly config: Pick<
    Config,
    | 'CODE_INDEX_DIR'
    | 'CODE_INDEX_FILE_ROOT'
    | 'CODE_INDEX_CA_FILE'
    | 'CODE_INDEX_REPOSITORY_MB'
    | 'CODE_INDEX_WORKSPACE_MB'
    | 'CODE_INDEX_MAX_OBJECTS'
    | 'CODE_INDEX_FETCH_SECONDS'
    | 'CODE_INDEX_MEMORY_MB'
    | 'CODE_INDEX_CHECK_MINUTES'
  >
}

const mebibyte = 1024 * 1024

export function createCodeIndex({ cursors, outbound, secret_box, ports, config }: Deps): Module {
  const file_root = config.CODE_INDEX_FILE_ROOT
  const places = new ClonePlaces(config.CODE_INDEX_DIR)
  const indexing = {
    places,
    outbound,
    secret_box,
    run_git: runGit,
    file_root,
    ca_file: config.CODE_INDEX_CA_FILE,
    memory_mb: config.CODE_INDEX_MEMORY_MB,
    followers: () => ports.of(indexFollowers),
    limits: {
      repository_bytes: config.CODE_INDEX_REPOSITORY_MB * mebibyte,
      workspace_bytes: config.CODE_INDEX_WORKSPACE_MB * mebibyte,
      objects: config.CODE_INDEX_MAX_OBJECTS,
      fetch_ms: config.CODE_INDEX_FETCH_SECONDS * 1000,
    },
  }
  const dropClones = async ({ brandId }: { readonly brandId: number }) => {
    await places.dropBrand(brandId)
    return 0
  }
  return {
    routes: [
      ...projectRoutes(cursors),
      ...repositoryRoutes({ outbound, secret_box, file_root }),
      ...pushHookRoutes(secret_box),
      ...runRoutes,
      ...graphRoutes,
    ],
    jobs: [...repositoryJobs(secret_box), ...runJobs(indexing, config.CODE_INDEX_CHECK_MINUTES)],
    // Names of people stand nowhere here, so there is no part for a person.
    fills: [
      fill(sweeps, stagingSweep, factsSweep, runSweep),
      fill(knownProjects, { isProject }),
      fill(erasureParts, { part: 'code_index', brand: emptying(dropClones, ...projectRowsOfBrand) }),
    ],
  }
}
