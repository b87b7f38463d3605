import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { DrillCheck } from '../drill.ts'
import { expectThat } from '../expect-that.ts'
import { hubPort, type Installation } from './installation.ts'

/** The hub of desks, with rights over its own network and none over that of the machine. */
export async function checkHub(installation: Installation, check: DrillCheck): Promise<void> {
  await check('the hub comes up in its container, with WireGuard on its port', async () => {
    await installation.up('hub').catch(async (error: Error) => {
      throw new Error(`${error.message.slice(0, 500)}\n${await installation.logsOf('hub')}`)
    })
    const shown = await waitFor(async () => {
      const port = (await installation.exec('hub', 'wg', 'show', 'all', 'listen-port')).trim()
      return port.endsWith(String(hubPort)) && port
    }, 30_000)
    const rules = await installation.exec('hub', 'nft', 'list', 'tables')
    const device = shown.split(/\s/)[0] ?? ''
    expectThat(rules.includes(device), `there is no firewall of ${device}: ${rules}`)
    const rights = await installation.exec('hub', 'cat', '/proc/1/status')
    return [true, `${shown.replace(/\s+/, ' port ')}, capabilities ${/CapEff:\s*(\w+)/.exec(rights)?.[1]}`]
  })
}
