import * as activity from './boards/activity.ts'
import * as attachments from './boards/attachments.ts'
import * as batch from './boards/batch.ts'
import * as boards from './boards/boards.ts'
import * as cards from './boards/cards.ts'
import * as checklists from './boards/checklists.ts'
import * as children from './boards/children.ts'
import * as claims from './boards/claims.ts'
import * as columns from './boards/columns.ts'
import * as comments from './boards/comments.ts'
import * as context from './boards/context.ts'
import * as cycles from './boards/cycles.ts'
import * as delivery from './boards/delivery.ts'
import * as exports from './boards/export.ts'
import * as boardGuests from './boards/guests.ts'
import * as hooks from './boards/hooks.ts'
import * as imports from './boards/imports.ts'
import * as labels from './boards/labels.ts'
import * as master from './boards/master.ts'
import * as relations from './boards/relations.ts'
import * as runs from './boards/runs.ts'
import * as search from './boards/search.ts'
import * as sharedBoards from './boards/shared.ts'
import * as stats from './boards/stats.ts'
import * as stream from './boards/stream.ts'
import * as sums from './boards/sums.ts'
import * as views from './boards/views.ts'
import * as watchers from './boards/watchers.ts'
import * as work from './boards/work.ts'
import * as workingNow from './boards/working-now.ts'
import * as codeGraph from './code-index/graph.ts'
import * as indexState from './code-index/index-state.ts'
import * as projects from './code-index/projects.ts'
import * as pushHook from './code-index/push-hook.ts'
import * as repository from './code-index/repository.ts'
import * as conversations from './conversations/conversations.ts'
import * as rollback from './conversations/rollback.ts'
import * as sources from './conversations/sources.ts'
import * as usage from './conversations/usage.ts'
import * as pages from './docs-spaces/pages.ts'
import * as sharedSpaces from './docs-spaces/shared.ts'
import * as spaceGuests from './docs-spaces/space-guests.ts'
import * as spaces from './docs-spaces/spaces.ts'
import * as deskAgent from './fleet/desk-agent.ts'
import * as deskBuilds from './fleet/desk-builds.ts'
import * as deskMemory from './fleet/desk-memory.ts'
import * as deskPhotos from './fleet/desk-photos.ts'
import * as environments from './fleet/environments.ts'
import * as deskHealth from './fleet/health.ts'
import * as deskLogs from './fleet/logs.ts'
import * as machineUpdates from './fleet/updates.ts'
import * as workstations from './fleet/workstations.ts'
import * as cancel from './hires/cancel.ts'
import * as catalog from './hires/catalog.ts'
import * as credentials from './hires/credentials.ts'
import * as employees from './hires/employees.ts'
import * as hires from './hires/hires.ts'
import * as admin from './identity/admin.ts'
import * as agents from './identity/agents.ts'
import * as device from './identity/device.ts'
import * as emailProofs from './identity/email-proofs.ts'
import * as erasures from './identity/erasures.ts'
import * as ownPassword from './identity/own-password.ts'
import * as ownSessions from './identity/own-sessions.ts'
import * as platformAudit from './identity/platform-audit.ts'
import * as sessions from './identity/sessions.ts'
import * as tokens from './identity/tokens.ts'
import * as inbox from './inbox/inbox.ts'
import * as inboxMail from './inbox/mail.ts'
import * as lessonEntries from './lessons/entries.ts'
import * as lessonLookup from './lessons/lookup.ts'
import * as lessonsNear from './lessons/near.ts'
import * as lessonReAnchor from './lessons/re-anchor.ts'
import * as lessonSearch from './lessons/search.ts'
import * as lessonsSimilar from './lessons/similar.ts'
import * as lessonSync from './lessons/sync.ts'
import * as addresses from './mailboxes/addresses.ts'
import * as installs from './marketplace/installs.ts'
import * as packages from './marketplace/packages.ts'
import * as memoryCode from './memory/code-links.ts'
import * as memoryConsolidation from './memory/consolidation.ts'
import * as memoryHistory from './memory/history.ts'
import * as memories from './memory/memories.ts'
import * as memoryFile from './memory/memory-file.ts'
import * as memoryProposals from './memory/proposals.ts'
import * as memorySearch from './memory/search.ts'
import * as memoryStats from './memory/stats.ts'
import * as builds from './profiles/build-settings.ts'
import * as profiles from './profiles/coder-profiles.ts'
import * as coders from './profiles/coders.ts'
import type { AnyRoute } from './route.ts'
import { routesIn } from './routes-in.ts'
import * as system from './system/system.ts'
import * as deliveries from './webhooks/deliveries.ts'
import * as webhooks from './webhooks/webhooks.ts'
import * as audit from './workspaces/audit.ts'
import * as features from './workspaces/features.ts'
import * as guests from './workspaces/guests.ts'
import * as invitations from './workspaces/invitations.ts'
import * as members from './workspaces/members.ts'
import * as photos from './workspaces/photos.ts'

/** Every route of the product, by module and method name, for the server, the client and the documentation. */
export const routes = {
  system: routesIn(system),
  mailboxes: routesIn(addresses),
  inbox: routesIn(inbox, inboxMail),
  identity: routesIn(
    sessions,
    device,
    emailProofs,
    ownSessions,
    ownPassword,
    tokens,
    agents,
    admin,
    platformAudit,
    erasures,
  ),
  boards: routesIn(
    boards,
    stats,
    columns,
    cards,
    batch,
    comments,
    checklists,
    attachments,
    labels,
    cycles,
    imports,
    relations,
    children,
    claims,
    runs,
    work,
    workingNow,
    sums,
    context,
    master,
    search,
    views,
    watchers,
    activity,
    stream,
    exports,
    hooks,
    delivery,
    boardGuests,
    sharedBoards,
  ),
  profiles: routesIn(profiles, coders, builds),
  workspaces: routesIn(features, audit, guests, members, invitations, photos),
  webhooks: routesIn(webhooks, deliveries),
  docs: routesIn(spaces, pages, spaceGuests, sharedSpaces),
  code: routesIn(projects, repository, pushHook, indexState, codeGraph),
  memory: routesIn(
    memorySearch,
    memories,
    memoryStats,
    memoryHistory,
    memoryConsolidation,
    memoryProposals,
    memoryFile,
    memoryCode,
  ),
  conversations: routesIn(sources, conversations, rollback, usage),
  lessons: routesIn(
    lessonsNear,
    lessonSearch,
    lessonLookup,
    lessonsSimilar,
    lessonEntries,
    lessonSync,
    lessonReAnchor,
  ),
  fleet: routesIn(
    workstations,
    environments,
    deskHealth,
    deskLogs,
    deskPhotos,
    machineUpdates,
    deskAgent,
    deskMemory,
    deskBuilds,
  ),
  marketplace: routesIn(packages, installs),
  hires: routesIn(employees, hires, credentials, cancel, catalog),
} as const

export const allRoutes: readonly AnyRoute[] = Object.values(routes).flatMap((module) => Object.values(module))
