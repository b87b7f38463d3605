import { resolve } from 'node:path'
import { attempt } from '@crewhall/services/commands.ts'
import { ensurePackages } from '@crewhall/services/debian-packages.ts'
import { findServiceFacts } from '@crewhall/services/facts.ts'
import { root } from '@crewhall/testkit/programs.ts'
import type { Drill, DrillCheck } from './drill.ts'
import { checkCrowd } from './proxy/crowd-checks.ts'
import { checkEdge } from './proxy/edge-checks.ts'
import { startProduct } from './proxy/proxied-product.ts'
import { checkAutomaticCertificate, checkGivenCertificate } from './proxy/renewal-checks.ts'
import { startNginx } from './proxy/started-nginx.ts'
import { newSpot, startCaddy } from './proxy/started-proxy.ts'
import { checkTraffic } from './proxy/traffic-checks.ts'

const proxies = [
  { name: 'Caddy', start: startCaddy },
  { name: 'nginx', start: startNginx },
] as const

/** The proxies of deploy/production in front of two API processes, met as by strangers and as by people. */
export const proxyDrill: Drill = {
  name: 'proxy',
  least: 'short',
  async obstacle() {
    if (process.getuid?.() !== 0) return 'networks of its own take root'
    if (!findServiceFacts()) return 'the services are not up: npm run services -- up'
    await ensurePackages(['nginx-light'], resolve(root, '.reports/proxy-packages.log'))
    return (await attempt('nginx', ['-v'])).code === 0 ? undefined : 'nginx is not installed'
  },
  async run(check, size) {
    await checkAutomaticCertificate((what, work) => check(`Caddy: ${what}`, work))
    for (const { name, start } of proxies) {
      const named: DrillCheck = (what, work) => check(`${name}: ${what}`, work)
      const spot = await newSpot()
      const product = await startProduct(spot.url)
      try {
        const proxy = await start(spot, product)
        try {
          await checkEdge(named, proxy, product)
          if (size === 'short') continue
          await checkTraffic(named, proxy, product)
          await checkGivenCertificate(named, proxy)
          await checkCrowd(named, proxy)
        } finally {
          await proxy.stop()
        }
      } finally {
        await product.stop()
      }
    }
  },
}
