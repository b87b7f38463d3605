import { getMe, type Me } from '@crewhall/contracts/identity/sessions.ts'
import { getHealth, getInfo } from '@crewhall/contracts/system/system.ts'
import type { Context } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { version } from '../version.ts'
import { boardId } from './board-names.ts'

interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warning' | 'failed'
  readonly told: string
  readonly remedy: string
}

const fields = ['check', 'state', 'told', 'remedy'] as const
const leastNode = 26
const mostSkew_s = 60
const soon_ms = 7 * 24 * 60 * 60 * 1000

const ok = (check: string, told: string): Finding => ({ check, state: 'ok', told, remedy: '' })
const warning = (check: string, told: string, remedy: string): Finding => ({
  check,
  state: 'warning',
  told,
  remedy,
})
const broken = (check: string, error: unknown, remedy = ''): Finding => ({
  check,
  state: 'failed',
  told: (error as Error).message,
  remedy: (error instanceof Failure ? error.remedy : undefined) ?? remedy,
})

/** Looks at everything that a command needs, one line each with what to do about it. */
export async function doctor(context: Context): Promise<number | undefined> {
  const findings: Finding[] = [ofNode()]
  try {
    const { host_from, profile } = await context.choice()
    const host = await context.host()
    findings.push(ok('host', `${host} (${host_from ?? 'default'}, profile ${profile})`), ofTls(host))
    findings.push(...(await ofService(context)), ...(await ofSignIn(context)), ...(await ofBoard(context)))
  } catch (error) {
    findings.push(broken('host', error))
  }
  await context.printer.result({ findings }, { list: 'findings', fields, columns: fields })
  return findings.some(({ state }) => state === 'failed') ? exitCodes.error.code : undefined
}

function ofNode(): Finding {
  const told = `crewhall ${version} on Node ${process.versions.node}`
  return Number(process.versions.node.split('.')[0]) >= leastNode
    ? ok('program', told)
    : warning('program', told, `it is made for Node ${leastNode}`)
}

function ofTls(host: string): Finding {
  if (host.startsWith('https:')) return ok('encryption', 'TLS')
  return /^http:\/\/(localhost|127\.|\[::1\])/.test(host)
    ? ok('encryption', 'none, on this machine')
    : warning('encryption', 'none: others on the way can read the token', 'name the host with https')
}

async function ofService(context: Context): Promise<Finding[]> {
  try {
    const caller = await context.caller({ anonymous: true })
    const health = await caller.call(getHealth)
    const info = (await caller.call(getInfo)).body as { version: string; environment: string }
    const { status, services } = health.body as { status: string; services: object }
    const lost = Object.entries(services).filter(([, state]) => state !== 'connected')
    const skew = Math.abs(Date.now() - Date.parse(health.headers.get('date') ?? '')) / 1000
    return [
      ok('service', `version ${info.version}, ${info.environment}`),
      status === 'healthy'
        ? ok('health', status)
        : broken(
            'health',
            new Error(`${status}: ${lost.map(([name]) => name).join(', ')}`),
            'tell its operator',
          ),
      Number.isNaN(skew) || skew <= mostSkew_s
        ? ok('time', `${Math.round(skew || 0)} s apart`)
        : warning('time', `${Math.round(skew)} s apart`, 'set the clock of this machine'),
    ]
  } catch (error) {
    return [broken('service', error, 'check the address, the network and the proxy')]
  }
}

async function ofSignIn(context: Context): Promise<Finding[]> {
  try {
    const me = (await (await context.caller()).call(getMe)).body as Me
    const left = Date.parse(me.expires_at) - Date.now()
    return [
      ok('sign-in', `${me.person.full_name}, ${me.credential}, ${me.role ?? 'no role'}`),
      ok('scopes', me.scopes === null ? 'all of the role' : me.scopes.join(', ') || 'none'),
      left > soon_ms
        ? ok('end', me.expires_at)
        : warning('end', me.expires_at, 'crewhall token rotate, then sign in again'),
    ]
  } catch (error) {
    return [broken('sign-in', error)]
  }
}

async function ofBoard(context: Context): Promise<Finding[]> {
  const { board, board_from } = await context.choice()
  if (board === undefined) return [ok('board', 'none is chosen')]
  const from = context.linkFile !== undefined && board_from === 'folder' ? context.linkFile : board_from
  try {
    await boardId(context, board)
    return [ok('board', `${board} (${from})`)]
  } catch (error) {
    return [broken('board', error, `it is named by ${from}`)]
  }
}
