import { createHash, createHmac } from 'node:crypto'
import { request } from 'node:http'
import type { S3Facts } from './facts.ts'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Sends a signed request without a body for the bucket and returns the HTTP status; 0 means no answer. */
export function requestBucket(facts: S3Facts, method: 'HEAD' | 'PUT', limit_ms: number): Promise<number> {
  const headers = sign(facts, method, `/${facts.bucket}`, new Date())
  const options = { host: facts.host, port: facts.port, method, path: `/${facts.bucket}`, headers }
  return new Promise((resolve) => {
    const sent = request({ ...options, agent: false, timeout: limit_ms }, (response) => {
      response.resume()
      response.on('close', () => resolve(response.statusCode ?? 0))
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(0))
    sent.on('close', () => resolve(0))
    sent.end()
  })
}

/** AWS Signature Version 4. */
function sign(facts: S3Facts, method: string, path: string, now: Date): Record<string, string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '')
  const day = time.slice(0, 8)
  const scope = `${day}/${facts.region}/s3/aws4_request`
  const signed: Record<string, string> = {
    host: `${facts.host}:${facts.port}`,
    'x-amz-content-sha256': sha256(''),
    'x-amz-date': time,
  }
  const names = Object.keys(signed).join(';')
  const lines = Object.entries(signed).map(([name, value]) => `${name}:${value}\n`)
  const canonical = [method, path, '', lines.join(''), names, sha256('')].join('\n')
  const parts = [day, facts.region, 's3', 'aws4_request']
  const key = parts.reduce<string | Buffer>(hmac, `AWS4${facts.secret_access_key}`)
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString('hex')
  const credential = `Credential=${facts.access_key_id}/${scope}`
  return {
    ...signed,
    authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`,
  }
}
