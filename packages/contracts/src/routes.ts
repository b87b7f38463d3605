import * as activity from './boards/activity.ts'
import * as boards from './boards/boards.ts'
import * as cards from './boards/cards.ts'
import * as claims from './boards/claims.ts'
import * as columns from './boards/columns.ts'
import * as comments from './boards/comments.ts'
import { readContext } from './boards/context.ts'
import { exportBoard } from './boards/export.ts'
import * as boardGuests from './boards/guests.ts'
import { listMasterCards } from './boards/master.ts'
import * as relations from './boards/relations.ts'
import * as runs from './boards/runs.ts'
import * as boardShared from './boards/shared.ts'
import { getBoardStats } from './boards/stats.ts'
import { streamEvents } from './boards/stream.ts'
import * as docsPages from './docs-spaces/pages.ts'
import * as docsShared from './docs-spaces/shared.ts'
import * as docsGuests from './docs-spaces/space-guests.ts'
import * as docsSpaces from './docs-spaces/spaces.ts'
import * as admin from './identity/admin.ts'
import * as emailProofs from './identity/email-proofs.ts'
import * as erasures from './identity/erasures.ts'
import { changePassword } from './identity/own-password.ts'
import * as ownSessions from './identity/own-sessions.ts'
import { listPlatformAudit } from './identity/platform-audit.ts'
import * as sessions from './identity/sessions.ts'
import * as tokens from './identity/tokens.ts'
import * as addresses from './mailboxes/addresses.ts'
import { previewBuild } from './profiles/build-settings.ts'
import * as profiles from './profiles/coder-profiles.ts'
import { changeCoder, listCoders } from './profiles/coders.ts'
import type { AnyRoute } from './route.ts'
import { getHealth, getInfo } from './system/system.ts'
import * as deliveries from './webhooks/deliveries.ts'
import * as webhooks from './webhooks/webhooks.ts'
import { listAudit } from './workspaces/audit.ts'
import { changeFeature, getFeatures } from './workspaces/features.ts'
import * as guests from './workspaces/guests.ts'
import * as invitations from './workspaces/invitations.ts'
import * as members from './workspaces/members.ts'
import { changePhoto, getPhoto, removePhoto } from './workspaces/photos.ts'

/** Every route of the product, by module and method name, for the server, the client and the documentation. */
export const routes = {
  system: { getHealth, getInfo },
  mailboxes: {
    getAddress: addresses.getAddress,
    getAvailability: addresses.getAvailability,
    renameAddress: addresses.renameAddress,
  },
  identity: {
    signUp: sessions.signUp,
    confirmEmail: emailProofs.confirmEmail,
    resendEmailProof: emailProofs.resendEmailProof,
    signIn: sessions.signIn,
    signOut: sessions.signOut,
    requestReset: sessions.requestReset,
    confirmReset: sessions.confirmReset,
    getMe: sessions.getMe,
    switchBrand: sessions.switchBrand,
    listOwnSessions: ownSessions.listOwnSessions,
    endOwnSession: ownSessions.endOwnSession,
    endOtherSessions: ownSessions.endOtherSessions,
    changePassword,
    listTokens: tokens.listTokens,
    createToken: tokens.createToken,
    revokeToken: tokens.revokeToken,
    rotateToken: tokens.rotateToken,
    listPlans: admin.listPlans,
    changePlan: admin.changePlan,
    listBrands: admin.listBrands,
    createBrand: admin.createBrand,
    changeBrandPlan: admin.changeBrandPlan,
    changeSubscription: admin.changeSubscription,
    changePolicy: admin.changePolicy,
    addStaff: admin.addStaff,
    removeStaff: admin.removeStaff,
    listPlatformAudit,
    eraseMe: erasures.eraseMe,
    getMyErasure: erasures.getMyErasure,
    keepMe: erasures.keepMe,
    eraseBrand: erasures.eraseBrand,
    getBrandErasure: erasures.getBrandErasure,
    keepBrand: erasures.keepBrand,
    erasePerson: erasures.erasePerson,
    getPersonErasure: erasures.getPersonErasure,
    keepPerson: erasures.keepPerson,
    eraseAnyBrand: erasures.eraseAnyBrand,
    getAnyBrandErasure: erasures.getAnyBrandErasure,
    keepAnyBrand: erasures.keepAnyBrand,
  },
  boards: {
    listBoards: boards.listBoards,
    createBoard: boards.createBoard,
    getBoard: boards.getBoard,
    getBoardStats,
    changeBoard: boards.changeBoard,
    archiveBoard: boards.archiveBoard,
    restoreBoard: boards.restoreBoard,
    addColumn: columns.addColumn,
    changeColumn: columns.changeColumn,
    removeColumn: columns.removeColumn,
    listCards: cards.listCards,
    createCard: cards.createCard,
    getCard: cards.getCard,
    changeCard: cards.changeCard,
    moveCard: cards.moveCard,
    archiveCard: cards.archiveCard,
    restoreCard: cards.restoreCard,
    listComments: comments.listComments,
    addComment: comments.addComment,
    changeComment: comments.changeComment,
    removeComment: comments.removeComment,
    listRelations: relations.listRelations,
    addRelation: relations.addRelation,
    removeRelation: relations.removeRelation,
    listReadyCards: claims.listReadyCards,
    claimNext: claims.claimNext,
    claimCard: claims.claimCard,
    extendClaim: claims.extendClaim,
    releaseClaim: claims.releaseClaim,
    listRuns: runs.listRuns,
    startRun: runs.startRun,
    changeRun: runs.changeRun,
    readContext,
    listMasterCards,
    listActivity: activity.listActivity,
    streamEvents,
    exportBoard,
    listBoardGuests: boardGuests.listBoardGuests,
    addBoardGuest: boardGuests.addBoardGuest,
    changeBoardGuest: boardGuests.changeBoardGuest,
    removeBoardGuest: boardGuests.removeBoardGuest,
    listSharedBoards: boardShared.listSharedBoards,
    getSharedBoard: boardShared.getSharedBoard,
    listSharedCards: boardShared.listSharedCards,
    createSharedCard: boardShared.createSharedCard,
    getSharedCard: boardShared.getSharedCard,
    changeSharedCard: boardShared.changeSharedCard,
    listSharedComments: boardShared.listSharedComments,
    addSharedComment: boardShared.addSharedComment,
  },
  profiles: {
    listProfiles: profiles.listProfiles,
    getProfile: profiles.getProfile,
    listProfileChanges: profiles.listProfileChanges,
    changeProfile: profiles.changeProfile,
    resetProfileSetting: profiles.resetProfileSetting,
    listCoders,
    changeCoder,
    previewBuild,
  },
  workspaces: {
    getFeatures,
    changeFeature,
    listAudit,
    listGuests: guests.listGuests,
    makeMember: guests.makeMember,
    removeGuest: guests.removeGuest,
    listMembers: members.listMembers,
    getMember: members.getMember,
    changeMember: members.changeMember,
    removeMember: members.removeMember,
    resetMemberPassword: members.resetMemberPassword,
    setMemberPassword: members.setMemberPassword,
    listInvitations: invitations.listInvitations,
    createInvitation: invitations.createInvitation,
    revokeInvitation: invitations.revokeInvitation,
    resendInvitation: invitations.resendInvitation,
    acceptInvitation: invitations.acceptInvitation,
    getPhoto,
    changePhoto,
    removePhoto,
  },
  webhooks: {
    listWebhooks: webhooks.listWebhooks,
    createWebhook: webhooks.createWebhook,
    getWebhook: webhooks.getWebhook,
    changeWebhook: webhooks.changeWebhook,
    deleteWebhook: webhooks.deleteWebhook,
    rotateSecret: webhooks.rotateSecret,
    testWebhook: deliveries.testWebhook,
    listDeliveries: deliveries.listDeliveries,
    redeliver: deliveries.redeliver,
  },
  docs: {
    listSpaces: docsSpaces.listSpaces,
    createSpace: docsSpaces.createSpace,
    getSpace: docsSpaces.getSpace,
    renameSpace: docsSpaces.renameSpace,
    deleteSpace: docsSpaces.deleteSpace,
    listPages: docsPages.listPages,
    createPage: docsPages.createPage,
    getPage: docsPages.getPage,
    changePage: docsPages.changePage,
    deletePage: docsPages.deletePage,
    listSpaceGuests: docsGuests.listSpaceGuests,
    addSpaceGuest: docsGuests.addSpaceGuest,
    changeSpaceGuest: docsGuests.changeSpaceGuest,
    removeSpaceGuest: docsGuests.removeSpaceGuest,
    listShared: docsShared.listShared,
    getShared: docsShared.getShared,
    listSharedPages: docsShared.listSharedPages,
    createSharedPage: docsShared.createSharedPage,
    getSharedPage: docsShared.getSharedPage,
    changeSharedPage: docsShared.changeSharedPage,
  },
} as const

export const allRoutes: readonly AnyRoute[] = Object.values(routes).flatMap((module) => Object.values(module))
