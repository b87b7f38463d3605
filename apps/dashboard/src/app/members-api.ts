import { routesIn } from '@crewhall/contracts/routes-in.ts'
import * as members from '@crewhall/contracts/workspaces/members.ts'
import { apiOf } from '../api/api.ts'

/** By itself, so that what needs it only now and then can read it then. */
export const membersApi = apiOf({ workspaces: routesIn(members) })
