import type { PlainRoute } from '#platform/http/plain-route.ts'
import { type GatewayDeps, refuseCall, serveCall } from './exchange.service.ts'

/** GET and DELETE are 405 there, as the protocol says for servers without sessions and streams. */
export const gatewayRoutes = (deps: GatewayDeps): readonly PlainRoute[] => [
  {
    id: 'gateway.call',
    method: 'POST',
    path: '/mcp',
    run: (ctx, request) => serveCall(ctx, deps, { kind: 'all' }, request),
    refuse: refuseCall,
  },
  {
    id: 'gateway.callReadonly',
    method: 'POST',
    path: '/mcp/readonly',
    run: (ctx, request) => serveCall(ctx, deps, { kind: 'readonly' }, request),
    refuse: refuseCall,
  },
  {
    id: 'gateway.callAsAgent',
    method: 'POST',
    path: '/mcp/agents/{agent_id}',
    run: (ctx, request) =>
      serveCall(ctx, deps, { kind: 'agent', agent_id: request.params.agent_id ?? '' }, request),
    refuse: refuseCall,
  },
]
