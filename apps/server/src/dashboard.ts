import { fileURLToPath } from 'node:url'
import { notFound } from '@crewhall/contracts/refusal.ts'
import { BuiltFiles } from '#platform/http/built-files.ts'
import type { PlainAnswer, PlainRequest, PlainRoute, Refused } from '#platform/http/plain-route.ts'
import type { Log } from '#platform/log/log.ts'
import type { Module } from '#platform/modules/module.ts'
import type { Config } from './config.ts'

interface Deps {
  readonly config: Pick<Config, 'DASHBOARD_FOLDER'>
  readonly log: Log
}

const page = 'index.html'

/** What the page may do: run its own scripts, talk to its own origin, and stand in no frame. */
const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  // Libraries of the page set styles at run time. A style runs nothing, and all that it could fetch is fetched here.
  `style-src 'self' 'unsafe-inline'`,
  `img-src 'self' data: blob:`,
  `font-src 'self'`,
  `connect-src 'self'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
].join('; ')

/** Serves the built dashboard, a client of the API like any other, under `/dashboard` and nowhere else. */
export function createDashboard({ config, log }: Deps): Module {
  const folder = config.DASHBOARD_FOLDER ?? fileURLToPath(new URL('../../dashboard/dist', import.meta.url))
  const files = new BuiltFiles(folder)
  // Every process has this module, and with Vite in front nobody misses the files: it is told when one is asked for, once.
  let isTold = files.has(page)
  const tell = () => {
    if (!isTold) log.warn({ folder }, 'the dashboard is not built')
    isTold = true
  }
  const route = (id: PlainRoute['id'], path: PlainRoute['path']): PlainRoute => ({
    id,
    method: 'GET',
    path,
    run: (_, request) => {
      tell()
      return serve(files, request)
    },
    refuse: refused,
  })
  return {
    plain_routes: [route('dashboard.showStart', '/dashboard'), route('dashboard.showPage', '/dashboard/*')],
  }
}

async function serve(files: BuiltFiles, { params, headers }: PlainRequest): Promise<PlainAnswer> {
  const name = params['*'] ?? ''
  if (!files.has(page)) return notBuilt
  // The page itself has one address for each place in the app, and none of its own.
  const found = name === page ? undefined : await files.answer(name, headers)
  if (found) return found
  if (BuiltFiles.isFileName(name)) throw notFound()
  const answer = await files.answer(page, headers, {
    'content-security-policy': policy,
    'cross-origin-opener-policy': 'same-origin',
  })
  return answer ?? notBuilt
}

const notBuilt: PlainAnswer = {
  status: 404,
  type: 'text/plain; charset=utf-8',
  body: 'This installation has no dashboard yet. Run `npm run build` and start the server again.\n',
}

function refused({ status, detail }: Refused): PlainAnswer {
  return { status, type: 'application/json; charset=utf-8', body: JSON.stringify({ detail }) }
}
