/**
 * Changes and what they write into the audit log of the workspace. One that needs an admin of the workspace or
 * the operator stands here or on the list below, or the accounting fails; others may.
 */
export const auditedRoutes: Readonly<Record<string, string>> = {
  'identity.createToken': 'token.issued',
  'identity.revokeToken': 'token.revoked',
  'identity.rotateToken': 'token.rotated',
  'identity.createBrand': 'brand.created',
  'identity.changeBrandPlan': 'brand.plan_changed',
  'identity.changeSubscription': 'brand.subscription_changed',
  'identity.changePolicy': 'brand.policy_changed',
  'identity.eraseBrand': 'brand.erasure_scheduled',
  'identity.keepBrand': 'brand.erasure_called_off',
  'identity.eraseAnyBrand': 'brand.erasure_scheduled',
  'identity.keepAnyBrand': 'brand.erasure_called_off',
  'profiles.changeProfile': 'profile.changed',
  'profiles.resetProfileSetting': 'profile.changed',
  'profiles.changeCoder': 'coder.changed',
  'workspaces.changeFeature': 'feature.changed',
  'workspaces.makeMember': 'guest.invited',
  'workspaces.removeGuest': 'guest.removed',
  'workspaces.changeMember': 'member.position_changed',
  'workspaces.removeMember': 'member.removed',
  'workspaces.resetMemberPassword': 'member.password_reset_requested',
  'workspaces.setMemberPassword': 'member.password_set',
  'workspaces.createInvitation': 'invitation.created',
  'workspaces.revokeInvitation': 'invitation.revoked',
  'workspaces.resendInvitation': 'invitation.resent',
  'workspaces.changePhoto': 'member.photo_changed',
  'workspaces.removePhoto': 'member.photo_removed',
  'boards.addBoardGuest': 'board_guest.added',
  'boards.changeBoardGuest': 'board_guest.changed',
  'boards.removeBoardGuest': 'board_guest.removed',
  'webhooks.createWebhook': 'webhook.created',
  'webhooks.changeWebhook': 'webhook.changed',
  'webhooks.deleteWebhook': 'webhook.deleted',
  'webhooks.rotateSecret': 'webhook.secret_rotated',
  'webhooks.testWebhook': 'webhook.tested',
  'webhooks.redeliver': 'webhook.redelivered',
  'docs.deleteSpace': 'docs_space.deleted',
  'docs.addSpaceGuest': 'docs_guest.added',
  'docs.changeSpaceGuest': 'docs_guest.changed',
  'docs.removeSpaceGuest': 'docs_guest.removed',
}

/** Changes that leave no entry, each with the reason. */
export const unauditedRoutes: Readonly<Record<string, string>> = {}
