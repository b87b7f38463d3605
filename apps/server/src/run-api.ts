import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { createHttp } from '#platform/http/serving/server.ts'
import { serveInside } from '#platform/readiness/inside-server.ts'
import { createKeyedDigests } from '#platform/secrets/keyed-digests.ts'
import type { Config } from './config.ts'
import type { Modules } from './modules.ts'
import { createParts, type Parts } from './parts.ts'
import { checkStart } from './start-checks.ts'
import { untilStopped } from './until-stopped.ts'

/** Starts an API process, and returns when it has been told to stop and has finished what it had begun. */
export async function runApi(
  config: Config,
  createModules: (parts: Parts) => Modules,
  documented: readonly AnyRoute[],
): Promise<void> {
  const parts = await createParts(config, 'api')
  const { log, metrics, tracing, version, readiness } = parts
  const inside = await serveInside(parts, 0)
  await checkStart(parts, 'api')
  const modules = createModules(parts)
  const app = await createHttp({
    log,
    metrics,
    tracing,
    ctx: parts.ctx,
    request_digests: createKeyedDigests(parts.key_ring, 'idempotency-keys'),
    authenticate: modules.authenticate,
    routes: modules.routes,
    plain_routes: modules.plain_routes,
    documented,
    version,
    public_url: config.PUBLIC_URL,
    isDraining: () => readiness.is_draining,
    deadline_ms: config.HTTP_DEADLINE_MS,
    check_answers: config.HTTP_CHECK_ANSWERS,
    trust_proxy: config.HTTP_TRUST_PROXY,
    body_limit_bytes: config.HTTP_BODY_LIMIT_BYTES,
    request_timeout_ms: config.HTTP_REQUEST_TIMEOUT_MS,
    stall_timeout_ms: config.HTTP_STALL_TIMEOUT_MS,
    max_sockets: config.HTTP_MAX_SOCKETS,
    max_sockets_per_network: config.HTTP_MAX_SOCKETS_PER_NETWORK,
    max_open_per_network: config.HTTP_MAX_OPEN_PER_NETWORK,
    max_in_flight: config.HTTP_MAX_IN_FLIGHT,
    max_streams: config.HTTP_MAX_STREAMS,
    max_streams_per_workspace: config.HTTP_MAX_STREAMS_PER_WORKSPACE,
    max_streams_per_caller: config.HTTP_MAX_STREAMS_PER_CALLER,
    max_event_loop_delay_ms: config.HTTP_MAX_EVENT_LOOP_DELAY_MS,
    rate_limit_per_minute: config.HTTP_RATE_LIMIT_PER_MINUTE,
    rate_limit_per_credential: config.HTTP_RATE_LIMIT_PER_CREDENTIAL,
  })
  await app.listen({ host: config.HTTP_HOST, port: config.HTTP_PORT, listenTextResolver: () => 'listening' })
  readiness.serve()
  log.info({ addresses: app.addresses(), version }, 'ready')
  await untilStopped(log)
  readiness.drain()
  await sleep(config.HTTP_DRAIN_DELAY_MS)
  await withinLimit(app.close(), config.HTTP_DRAIN_MS)
  inside?.close()
  await modules.close()
  await parts.close()
}

async function withinLimit(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([
    work,
    new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs)
    }),
  ])
  clearTimeout(timer)
}
