import type { RouteEntry } from './route-entry.ts'

const brief = ['name', 'id', 'updated_at'] as const

/** Commands about everything that is not on a board. */
export const groupEntries: readonly RouteEntry[] = [
  {
    words: 'inbox list',
    route: 'inbox.listInbox',
    columns: ['id', 'ref', 'title', 'kind', 'created_at'],
    page: 'inbox',
  },
  { words: 'inbox mark', route: 'inbox.markInbox' },

  { words: 'doc spaces', route: 'docs.listSpaces' },
  { words: 'doc create-space', route: 'docs.createSpace', takes: ['name'] },
  { words: 'doc list', route: 'docs.listPages', takes: ['space_id'] },
  { words: 'doc show', route: 'docs.getPage', takes: ['space_id', 'page_id'] },
  { words: 'doc create', route: 'docs.createPage', takes: ['space_id', 'title'] },
  { words: 'doc edit', route: 'docs.changePage', takes: ['space_id', 'page_id'] },
  { words: 'doc delete', route: 'docs.deletePage', takes: ['space_id', 'page_id'] },

  { words: 'memory search', route: 'memory.searchMemories', takes: ['agent_id', 'query?'] },
  { words: 'memory recall', route: 'memory.recallMemories', takes: ['agent_id', 'query'] },
  { words: 'memory list', route: 'memory.listMemories', columns: ['id', 'kind', 'title', 'updated_at'] },
  { words: 'memory show', route: 'memory.getMemory', takes: ['memory_id'] },
  { words: 'memory add', route: 'memory.createMemory', takes: ['agent_id', 'title'] },
  { words: 'memory edit', route: 'memory.changeMemory', takes: ['memory_id'] },
  { words: 'memory verify', route: 'memory.verifyMemory', takes: ['memory_id'] },
  { words: 'memory delete', route: 'memory.deleteMemory', takes: ['memory_id'] },
  { words: 'memory history', route: 'memory.listHistory', takes: ['memory_id'] },
  { words: 'memory undo', route: 'memory.restoreMemory', takes: ['memory_id'] },
  { words: 'memory inbox', route: 'memory.listProposals' },
  { words: 'memory approve', route: 'memory.approveProposal', takes: ['proposal_id'] },
  { words: 'memory reject', route: 'memory.rejectProposal', takes: ['proposal_id'] },
  { words: 'memory stats', route: 'memory.getStats' },

  { words: 'lesson near', route: 'lessons.findNear', takes: ['project_id'] },
  { words: 'lesson search', route: 'lessons.searchLessons', takes: ['q'] },
  { words: 'lesson similar', route: 'lessons.findSimilar', takes: ['text'] },
  { words: 'lesson list', route: 'lessons.listLessons', takes: ['project_id'] },
  { words: 'lesson stale', route: 'lessons.listStale', takes: ['project_id'] },
  { words: 'lesson sync', route: 'lessons.syncLessons', takes: ['project_id'] },
  { words: 'lesson status', route: 'lessons.getSyncState', takes: ['project_id'] },

  { words: 'project list', route: 'code.listProjects', columns: brief },
  { words: 'project create', route: 'code.createProject', takes: ['name'] },
  { words: 'project show', route: 'code.getProject', takes: ['project_id'] },
  { words: 'project attach', route: 'code.attachRepository', takes: ['project_id', 'url'] },
  { words: 'project detach', route: 'code.detachRepository', takes: ['project_id'] },
  { words: 'project index', route: 'code.requestIndex', takes: ['project_id'] },
  { words: 'project status', route: 'code.getIndex', takes: ['project_id'] },
  { words: 'project archive', route: 'code.archiveProject', takes: ['project_id'], destroys: true },

  { words: 'desk list', route: 'fleet.listDesks', list: 'items' },
  { words: 'desk order', route: 'fleet.orderDesk' },
  { words: 'desk show', route: 'fleet.getDesk', takes: ['workstation_id'] },
  { words: 'desk health', route: 'fleet.getHealth', takes: ['workstation_id'] },
  { words: 'desk release', route: 'fleet.releaseDesk', takes: ['workstation_id'] },
  { words: 'desk update', route: 'fleet.requestUpdate', takes: ['machine_id'] },
  { words: 'desk updates', route: 'fleet.listUpdates', takes: ['machine_id'] },

  { words: 'hire catalog', route: 'hires.listEmployees' },
  { words: 'hire show', route: 'hires.getEmployee', takes: ['profile_id'] },
  { words: 'hire take', route: 'hires.hireEmployee', takes: ['profile_id'] },
  { words: 'hire list', route: 'hires.listHires' },
  { words: 'hire status', route: 'hires.getHire', takes: ['hire_id'] },
  { words: 'hire retry', route: 'hires.retryHire', takes: ['hire_id'] },

  { words: 'agent list', route: 'identity.listAgents' },
  { words: 'agent create', route: 'identity.createAgent', takes: ['name'] },
  { words: 'agent show', route: 'identity.getAgent', takes: ['agent_id'] },
  { words: 'agent rename', route: 'identity.renameAgent', takes: ['agent_id', 'name'] },
  { words: 'agent retire', route: 'identity.retireAgent', takes: ['agent_id'], destroys: true },

  { words: 'profile list', route: 'profiles.listProfiles' },
  { words: 'profile show', route: 'profiles.getProfile', takes: ['key'] },
  { words: 'profile edit', route: 'profiles.changeProfile', takes: ['key'] },
  { words: 'profile history', route: 'profiles.listProfileChanges', takes: ['key'] },
  { words: 'profile reset', route: 'profiles.resetProfileSetting', takes: ['key', 'field'] },

  { words: 'member list', route: 'workspaces.listMembers' },
  { words: 'member show', route: 'workspaces.getMember', takes: ['user_id'] },
  { words: 'member edit', route: 'workspaces.changeMember', takes: ['user_id'] },
  { words: 'member remove', route: 'workspaces.removeMember', takes: ['user_id'] },
  { words: 'member invite', route: 'workspaces.createInvitation', takes: ['email'] },
  { words: 'member invitations', route: 'workspaces.listInvitations' },

  { words: 'guest list', route: 'workspaces.listGuests' },
  { words: 'guest remove', route: 'workspaces.removeGuest', takes: ['user_id'] },
  { words: 'guest promote', route: 'workspaces.makeMember', takes: ['user_id'] },

  { words: 'webhook list', route: 'webhooks.listWebhooks' },
  { words: 'webhook create', route: 'webhooks.createWebhook', takes: ['url'] },
  { words: 'webhook show', route: 'webhooks.getWebhook', takes: ['webhook_id'] },
  { words: 'webhook edit', route: 'webhooks.changeWebhook', takes: ['webhook_id'] },
  { words: 'webhook delete', route: 'webhooks.deleteWebhook', takes: ['webhook_id'] },
  { words: 'webhook deliveries', route: 'webhooks.listDeliveries', takes: ['webhook_id'] },
  { words: 'webhook test', route: 'webhooks.testWebhook', takes: ['webhook_id'] },

  {
    words: 'audit list',
    route: 'workspaces.listAudit',
    columns: ['created_at', 'actor', 'action', 'target'],
  },

  { words: 'feature list', route: 'workspaces.getFeatures', page: 'features' },
  { words: 'feature set', route: 'workspaces.changeFeature', takes: ['key'] },
]
