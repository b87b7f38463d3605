import { once } from 'node:events'
import { connect } from 'node:net'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import type pg from 'pg'

/** A word that stands in every text of one workspace and nowhere else. */
export type Mark = string

export const marksIn = (text: string, marks: readonly Mark[]): Mark[] =>
  marks.filter((mark) => text.toLowerCase().includes(mark))

/** Rows of the job queue, as text. */
export async function queueText(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ job: string }>('select j::text as job from pgboss.job j')
  return rows.map(({ job }) => job).join('\n')
}

/** All keys below a prefix and their values, whatever their type, as text. */
export const redisText = (prefix: string): Promise<string> => askRedis('EVAL', dumpScript, '0', prefix)

/** One command on a connection of its own; the answer as it came over the wire. */
export async function askRedis(...command: string[]): Promise<string> {
  const { host, port } = readServiceFacts().redis
  const socket = connect(port, host)
  const end = once(socket, 'end')
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  for (const words of [command, ['QUIT']]) {
    const framed = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
    socket.write(`*${words.length}\r\n${framed.join('')}`)
  }
  await end
  if (text.startsWith('-')) throw new Error(`Redis answered ${text}`)
  return text
}

const dumpScript = `
  local found = {}
  for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
    local kind = redis.call('TYPE', key)['ok']
    local value = ''
    if kind == 'string' then value = redis.call('GET', key)
    elseif kind == 'hash' then value = cjson.encode(redis.call('HGETALL', key))
    elseif kind == 'list' then value = cjson.encode(redis.call('LRANGE', key, 0, -1))
    elseif kind == 'set' then value = cjson.encode(redis.call('SMEMBERS', key))
    elseif kind == 'zset' then value = cjson.encode(redis.call('ZRANGE', key, 0, -1))
    else value = cjson.encode(redis.call('XRANGE', key, '-', '+')) end
    found[#found + 1] = key .. ' ' .. value
  end
  return table.concat(found, '\\n')`
