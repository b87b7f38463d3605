import { profileRoutes } from './profiles.routes.ts'

export const createProfiles = () => ({ routes: profileRoutes })
