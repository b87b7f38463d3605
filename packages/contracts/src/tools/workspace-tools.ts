import * as updates from '../fleet/updates.ts'
import * as agents from '../identity/agents.ts'
import * as tokens from '../identity/tokens.ts'
import * as addresses from '../mailboxes/addresses.ts'
import * as builds from '../profiles/build-settings.ts'
import * as profiles from '../profiles/coder-profiles.ts'
import * as coders from '../profiles/coders.ts'
import * as deliveries from '../webhooks/deliveries.ts'
import * as webhooks from '../webhooks/webhooks.ts'
import * as audit from '../workspaces/audit.ts'
import * as features from '../workspaces/features.ts'
import * as guests from '../workspaces/guests.ts'
import * as invitations from '../workspaces/invitations.ts'
import * as members from '../workspaces/members.ts'
import { actionsOf, destructive } from './actions.ts'
import { presentFrom } from './present/outside.ts'
import type { Tool } from './tool.ts'

const workspace = actionsOf('workspace', '1.0.0')
const desk = actionsOf('desks', '1.0.0')
const profile = actionsOf('profiles', '1.0.0')
const inWorkspace = { toolset: 'workspace', package: 'workspace' } as const

/** Routes that return or take a secret are left out: a model's context is no place for it. */
export const workspaceTools: readonly Tool[] = [
  {
    ...inWorkspace,
    name: 'people',
    title: 'People',
    description: 'Members, guests and invitations of the workspace. brand_id is yours by default.',
    actions: [
      workspace('members', members.listMembers, 'List the members'),
      workspace('member', members.getMember, 'One member'),
      workspace('change_member', members.changeMember, 'Change a member'),
      workspace('remove_member', members.removeMember, 'Remove a member', destructive),
      workspace('reset_password', members.resetMemberPassword, 'Mail a link to set a new password'),
      workspace('guests', guests.listGuests, 'List the guests', { present: presentFrom('guest') }),
      workspace('make_member', guests.makeMember, 'Make a guest a member'),
      workspace('remove_guest', guests.removeGuest, 'Remove a guest', destructive),
      workspace('invitations', invitations.listInvitations, 'List invitations'),
      workspace('invite', invitations.createInvitation, 'Invite by e-mail'),
      workspace('revoke_invitation', invitations.revokeInvitation, 'Revoke it', destructive),
      workspace('resend_invitation', invitations.resendInvitation, 'Send it again'),
    ],
  },
  {
    ...inWorkspace,
    name: 'workspace',
    title: 'Workspace',
    description: 'Features, audit log, agents, tokens and your mail address.',
    actions: [
      workspace('features', features.getFeatures, 'What is switched on'),
      workspace('change_feature', features.changeFeature, 'Switch a feature on or off'),
      workspace('audit', audit.listAudit, 'Who changed what', { renames: { action: 'event' } }),
      workspace('agents', agents.listAgents, 'Agents of the workspace'),
      workspace('agent', agents.getAgent, 'One agent'),
      workspace('create_agent', agents.createAgent, 'Create an agent'),
      workspace('rename_agent', agents.renameAgent, 'Rename it'),
      workspace('retire_agent', agents.retireAgent, 'Retire it; its tokens end', destructive),
      workspace('tokens', tokens.listTokens, 'Tokens, without their secrets'),
      workspace('revoke_token', tokens.revokeToken, 'Revoke a token', destructive),
      workspace('mail_address', addresses.getAddress, 'Your mail address'),
      workspace('mail_name_free', addresses.getAvailability, 'Whether a name is free'),
      workspace('rename_mail', addresses.renameAddress, 'Change your mail address'),
    ],
  },
  {
    ...inWorkspace,
    name: 'webhooks',
    title: 'Webhooks',
    description:
      'Endpoints that are told of events. One is created over HTTP, because its secret is shown once.',
    actions: [
      workspace('list', webhooks.listWebhooks, 'List them'),
      workspace('get', webhooks.getWebhook, 'One webhook'),
      workspace('change', webhooks.changeWebhook, 'Change it'),
      workspace('delete', webhooks.deleteWebhook, 'Delete it', destructive),
      workspace('deliveries', deliveries.listDeliveries, 'Attempts of the last days'),
      workspace('test', deliveries.testWebhook, 'Send a test'),
      workspace('redeliver', deliveries.redeliver, 'Send a delivery again'),
    ],
  },
  {
    toolset: 'desks',
    package: 'desks',
    name: 'desk_updates',
    title: 'Updates of desks',
    description: 'Updates of the software on machines.',
    actions: [
      desk('list', updates.listUpdates, 'Updates of a machine'),
      desk('request', updates.requestUpdate, 'Update a machine'),
      desk('request_all', updates.requestUpdates, 'Update all machines'),
    ],
  },
  {
    toolset: 'profiles',
    package: 'profiles',
    name: 'profiles',
    title: 'Coder profiles',
    description: 'Build settings of coding tools, named `<coder>.<tier>`.',
    actions: [
      profile('list', profiles.listProfiles, 'List the profiles'),
      profile('get', profiles.getProfile, 'One profile'),
      profile('history', profiles.listProfileChanges, 'Its changes'),
      profile('change', profiles.changeProfile, 'Override settings'),
      profile('reset', profiles.resetProfileSetting, 'Take an override back', destructive),
      profile('coders', coders.listCoders, 'List the coders'),
      profile('change_coder', coders.changeCoder, 'Switch a coder on or off'),
      profile('preview', builds.previewBuild, 'Settings that a build would get'),
    ],
  },
]
