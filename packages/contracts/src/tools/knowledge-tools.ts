import * as graph from '../code-index/graph.ts'
import * as indexState from '../code-index/index-state.ts'
import * as projects from '../code-index/projects.ts'
import * as repository from '../code-index/repository.ts'
import * as conversations from '../conversations/conversations.ts'
import * as rollback from '../conversations/rollback.ts'
import * as sources from '../conversations/sources.ts'
import * as usage from '../conversations/usage.ts'
import * as entries from '../lessons/entries.ts'
import * as lookup from '../lessons/lookup.ts'
import * as near from '../lessons/near.ts'
import * as reAnchor from '../lessons/re-anchor.ts'
import * as lessonSearch from '../lessons/search.ts'
import * as similar from '../lessons/similar.ts'
import * as sync from '../lessons/sync.ts'
import * as codeLinks from '../memory/code-links.ts'
import * as consolidation from '../memory/consolidation.ts'
import * as history from '../memory/history.ts'
import * as memories from '../memory/memories.ts'
import * as memoryFile from '../memory/memory-file.ts'
import * as proposals from '../memory/proposals.ts'
import * as memorySearch from '../memory/search.ts'
import * as memoryStats from '../memory/stats.ts'
import { actionsOf, destructive } from './actions.ts'
import { presentFrom } from './present/outside.ts'
import type { Tool } from './tool.ts'

const memory = actionsOf('memory', '1.0.0')
const lesson = actionsOf('lessons', '1.0.0')

export const lessonsNear: Tool = {
  toolset: 'default',
  package: 'lessons',
  name: 'lessons_near',
  title: 'Lessons near code',
  description:
    'What was learned about code. Places are `path`, `path#Symbol.name` or `folder/`; a board names its project_id.',
  actions: [
    lesson('near', near.findNear, 'Lessons around `paths`, by the code graph'),
    lesson('search', lessonSearch.searchLessons, 'By one `anchor` and words'),
    lesson('similar', similar.findSimilar, 'By meaning'),
  ],
}

export const memoryTool: Tool = {
  toolset: 'default',
  package: 'memory',
  name: 'memory',
  title: 'Memory',
  description: 'Short typed notes of an agent: decision, learning, pattern, preference, fact.',
  actions: [
    memory('recall', memorySearch.recallMemories, 'What matters for a question'),
    memory('search', memorySearch.searchMemories, 'By words, or the most certain'),
    memory('get', memories.getMemory, 'One memory'),
    memory('add', memories.createMemory, 'Remember something'),
    memory('change', memories.changeMemory, 'Correct or archive it'),
    memory('verify', memories.verifyMemory, 'Confirm that it is still true'),
  ],
}

export const knowledgeTools: readonly Tool[] = [
  {
    toolset: 'memory',
    package: 'memory',
    name: 'memory_care',
    title: 'Care of memories',
    description: 'Lists, history, proposals and provenance of memories.',
    actions: [
      memory('list', memories.listMemories, 'Newest first, without bodies'),
      memory('expiring', memories.listExpiring, 'Those that search will leave out soon'),
      memory('stats', memoryStats.getStats, 'Counts'),
      memory('file', memoryFile.getMemoryFile, 'The memory file of an agent'),
      memory('history', history.listHistory, 'Changes of a memory'),
      memory('provenance', proposals.listProvenance, 'Where it comes from'),
      memory('code', codeLinks.listCode, 'Code that it is about'),
      memory('lesson_file', codeLinks.promoteMemory, 'It as the file of a lesson'),
      memory('restore', history.restoreMemory, 'Back to an earlier version'),
      memory('delete', memories.deleteMemory, 'Delete it', destructive),
      memory('purge', history.purgeMemory, 'Delete it with its history', destructive),
      memory('unmerge', consolidation.unmergeMemory, 'Undo the merge into a pattern'),
      memory('proposals', proposals.listProposals, 'What automation asks'),
      memory('proposal', proposals.getProposal, 'One proposal'),
      memory('approve', proposals.approveProposal, 'Approve it'),
      memory('reject', proposals.rejectProposal, 'Reject it'),
    ],
  },
  {
    toolset: 'memory',
    package: 'memory',
    name: 'memory_sources',
    title: 'Sources of memories',
    description: 'Conversations that memories are made from.',
    actions: [
      memory('list', sources.listSources, 'List the sources'),
      memory('get', sources.getSource, 'One source'),
      memory('create', sources.createSource, 'Create a source'),
      memory('change', sources.changeSource, 'Change it'),
      memory('pause', sources.pauseSource, 'Pause it'),
      memory('resume', sources.resumeSource, 'Resume it'),
      memory('delete', sources.deleteSource, 'Delete it', destructive),
      memory('send', conversations.sendConversation, 'Send messages; `body` is the whole conversation'),
      memory('conversations', conversations.listConversations, 'List conversations'),
      memory('conversation', conversations.getConversation, 'One conversation and its attempts'),
      memory('messages', conversations.listMessages, 'Its messages', { present: presentFrom('external') }),
      memory('retry', conversations.retryConversation, 'Read it again'),
      memory('roll_back', rollback.rollBackSource, 'Undo what a source made', destructive),
      memory('roll_back_conversation', rollback.rollBackConversation, 'Undo what it made', destructive),
      memory('usage', usage.getUsage, 'Tokens by day'),
    ],
  },
  {
    toolset: 'lessons',
    package: 'lessons',
    name: 'lessons',
    title: 'Lessons of a project',
    description: 'Lessons are files `lessons/<area>/<slug>.md` of a repository.',
    actions: [
      lesson('list', entries.listLessons, 'Without bodies'),
      lesson('get', entries.getLesson, 'One lesson'),
      lesson('stale', entries.listStale, 'Those whose code was removed'),
      lesson('lookup', lookup.lookUpAnchors, 'By nodes of the code graph'),
      lesson('re_anchor', reAnchor.reAnchorLesson, 'Propose new anchors'),
      lesson('sync', sync.syncLessons, 'Write files at once'),
      lesson('sync_state', sync.getSyncState, 'What the last sync did'),
    ],
  },
  {
    toolset: 'lessons',
    package: 'lessons',
    name: 'projects',
    title: 'Projects and code',
    description: 'Projects, their repository and the index of their code.',
    actions: [
      lesson('list', projects.listProjects, 'Projects with their ids'),
      lesson('get', projects.getProject, 'One project'),
      lesson('create', projects.createProject, 'Create a project'),
      lesson('rename', projects.renameProject, 'Rename it'),
      lesson('archive', projects.archiveProject, 'Archive it', destructive),
      lesson('restore', projects.restoreProject, 'Restore it'),
      lesson('detach', repository.detachRepository, 'Detach its repository', destructive),
      lesson('index', indexState.getIndex, 'State of the index'),
      lesson('request_index', indexState.requestIndex, 'Index it again'),
      lesson('graph', graph.getGraph, 'Files and symbols around a path'),
    ],
  },
]
