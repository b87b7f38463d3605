import * as admin from './identity/admin.ts'
import * as sessions from './identity/sessions.ts'
import * as tokens from './identity/tokens.ts'
import { previewBuild } from './profiles/build-settings.ts'
import * as profiles from './profiles/coder-profiles.ts'
import { changeCoder, listCoders } from './profiles/coders.ts'
import type { AnyRoute } from './route.ts'
import { getHealth, getInfo } from './system/system.ts'

/** Every route of the product, by module and method name. The server, the client and the documents read this. */
export const routes = {
  system: { getHealth, getInfo },
  identity: {
    signUp: sessions.signUp,
    signIn: sessions.signIn,
    signOut: sessions.signOut,
    requestReset: sessions.requestReset,
    confirmReset: sessions.confirmReset,
    getMe: sessions.getMe,
    switchBrand: sessions.switchBrand,
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
} as const

export const allRoutes: readonly AnyRoute[] = Object.values(routes).flatMap((module) => Object.values(module))
