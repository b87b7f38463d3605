import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '@crewhall/services/commands.ts'
import { addresses, type ProxiedProduct } from './proxied-product.ts'
import { begin, configs, type ProxySpot, type StartedProxy, writeCertificate } from './started-proxy.ts'

/** The example as it is delivered, with what its reader is told to replace replaced. */
export async function startNginx(spot: ProxySpot, product: ProxiedProduct): Promise<StartedProxy> {
  const { folder, ports } = spot
  const cert = writeCertificate(folder)
  const [first, second] = addresses
  let text = readFileSync(join(configs, 'nginx.conf'), 'utf8')
  const replace = (from: string, to: string) => {
    if (!text.includes(from)) throw new Error(`the example has no ${from}`)
    text = text.replaceAll(from, to)
  }
  replace('https://crewhall.example.com', spot.url)
  replace('server_name crewhall.example.com', 'server_name localhost')
  replace('/certificates/', `${folder}/`)
  replace('api-1:8400', `${first}:${product.http_port}`)
  replace('api-2:8400', `${second}:${product.http_port}`)
  replace('/usr/share/crewhall/pages', configs)
  replace('/var/log/nginx/', `${folder}/log/`)
  replace('/run/nginx.pid', `${folder}/run/nginx.pid`)
  replace('listen 80 ', `listen 127.0.0.1:${ports.http} `)
  replace('listen 443 ', `listen 127.0.0.1:${ports.https} `)
  // Workers are another user, who has to reach the page and the folders for bodies.
  chmodSync(folder, 0o755)
  for (const name of ['body', 'proxy', 'fastcgi', 'scgi', 'uwsgi']) mkdirSync(join(folder, name))
  replace(
    'http {\n',
    `http {\n    client_body_temp_path ${folder}/body;\n    proxy_temp_path ${folder}/proxy;\n    fastcgi_temp_path ${folder}/fastcgi;\n    scgi_temp_path ${folder}/scgi;\n    uwsgi_temp_path ${folder}/uwsgi;\n`,
  )
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, text)
  const nginx = ['nginx', '-p', folder, '-c', file, '-e', join(folder, 'log', 'error.log')]
  const [command = '', ...args] = nginx
  return begin(spot, cert, [...nginx, '-g', 'daemon off;'], {}, () => run(command, [...args, '-s', 'reload']))
}
