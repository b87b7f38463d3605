import { openApiDocument } from '@crewhall/contracts/openapi.ts'
import { allRoutes } from '@crewhall/contracts/routes.ts'
import { documentInfo } from '@crewhall/server/platform/http/docs.ts'
import { version } from '@crewhall/server/version.ts'

/** The same document the running server gives out, for readers of the repository. */
export const openApiJson = (): string =>
  `${JSON.stringify(openApiDocument(allRoutes, documentInfo(version)), null, 2)}\n`
