import type { MatrixPart } from './part.ts'
import { boardsPart } from './parts/boards.ts'
import { codeIndexPart } from './parts/code-index.ts'
import { conversationsPart } from './parts/conversations.ts'
import { docsSpacesPart } from './parts/docs-spaces.ts'
import { fleetPart } from './parts/fleet.ts'
import { hiresPart } from './parts/hires.ts'
import { identityPart } from './parts/identity.ts'
import { inboxPart } from './parts/inbox.ts'
import { lessonsPart } from './parts/lessons.ts'
import { mailboxesPart } from './parts/mailboxes.ts'
import { marketplacePart } from './parts/marketplace.ts'
import { memoryPart } from './parts/memory.ts'
import { platformPart } from './parts/platform.ts'
import { profilesPart } from './parts/profiles.ts'
import { webhooksPart } from './parts/webhooks.ts'
import { workspacesPart } from './parts/workspaces.ts'

/** In the order of the modules: rows of one may refer to those of the ones before it. */
export const matrixParts: readonly MatrixPart[] = [
  identityPart,
  platformPart,
  workspacesPart,
  inboxPart,
  mailboxesPart,
  profilesPart,
  boardsPart,
  webhooksPart,
  docsSpacesPart,
  codeIndexPart,
  memoryPart,
  conversationsPart,
  lessonsPart,
  fleetPart,
  marketplacePart,
  hiresPart,
]

const joined = <T>(
  of: (part: MatrixPart) => Readonly<Record<string, T>> | undefined,
): Readonly<Record<string, T>> =>
  Object.fromEntries(matrixParts.flatMap((part) => Object.entries(of(part) ?? {})))

export const resources = joined((part) => part.resources)
export const bodies = joined((part) => part.bodies)
export const queries = joined((part) => part.queries)
export const refusedAs = joined((part) => part.refused_as)
export const refusedTo = joined((part) => part.refused_to)
export const beforeWrites = joined((part) => part.before)
export const endingSessions = new Set(matrixParts.flatMap((part) => part.ends_sessions ?? []))
export const emptyTables = matrixParts.flatMap((part) => part.empty_tables ?? []).sort()
