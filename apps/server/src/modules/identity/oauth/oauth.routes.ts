import {
  authorizationServerPath,
  oauthPaths,
  protectedResourcePath,
} from '@crewhall/contracts/identity/oauth.ts'
import type { PlainRoute } from '#platform/http/plain-route.ts'
import * as service from './oauth.service.ts'

/** Outside of the API: programs call them that follow RFCs, and people who are asked by one. */
export const oauthRoutes = (deps: service.OAuthDeps): readonly PlainRoute[] => [
  ...(['', '/mcp', '/mcp/readonly', '/mcp/agents/{agent_id}'] as const).map(
    (path, at): PlainRoute => ({
      id: `identity.showOAuthResource${at}`,
      method: 'GET',
      path: `${protectedResourcePath}${path}`,
      run: (_, { params }) =>
        service.showResource(
          deps,
          path.replace('{agent_id}', () => params.agent_id ?? ''),
        ),
      refuse: service.refuseJson,
    }),
  ),
  {
    id: 'identity.showOAuthServer',
    method: 'GET',
    path: authorizationServerPath,
    run: () => service.showServer(deps),
    refuse: service.refuseJson,
  },
  {
    id: 'identity.registerOAuthClient',
    method: 'POST',
    path: oauthPaths.register,
    run: (ctx, request) => service.registerClient(ctx, request),
    refuse: service.refuseJson,
  },
  {
    id: 'identity.showOAuthConsent',
    method: 'GET',
    path: oauthPaths.authorize,
    run: (ctx, request) => service.showConsent(ctx, deps, request),
    refuse: service.refusedPage,
  },
  {
    id: 'identity.answerOAuthConsent',
    method: 'POST',
    path: oauthPaths.authorize,
    run: (ctx, request) => service.answerConsent(ctx, deps, request),
    refuse: service.refusedPage,
  },
  {
    id: 'identity.exchangeOAuthGrant',
    method: 'POST',
    path: oauthPaths.token,
    run: (ctx, request) => service.exchange(ctx, deps, request),
    refuse: service.refuseJson,
  },
  {
    id: 'identity.revokeOAuthToken',
    method: 'POST',
    path: oauthPaths.revoke,
    run: (ctx, request) => service.revoke(ctx, request),
    refuse: service.refuseJson,
  },
]
