import { readdirSync, readFileSync } from 'node:fs'
import { gif } from '@crewhall/testkit/pictures/picture-gif.ts'
import { jpeg } from '@crewhall/testkit/pictures/picture-jpeg.ts'
import { png } from '@crewhall/testkit/pictures/picture-png.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterEach, describe, expect, test } from 'vitest'
import type { DecoderLimits } from '#platform/images/decoders.ts'
import { createImages, type Images } from '#platform/images/images.ts'
import type { PictureRules } from '#platform/images/picture-rules.ts'
import { createLog } from '#platform/log/log.ts'
import { pictureFacts } from '../../../test/picture-facts.ts'

const log = createLog({ level: 'silent', process_name: 'test' })
const photo: PictureRules = {
  kinds: ['png', 'jpeg', 'gif'],
  width: 512,
  height: 512,
  fit: 'inside',
  keep_alpha: true,
}
/** What pictures of desks are going to be. */
const desk: PictureRules = {
  kinds: ['png', 'jpeg', 'gif', 'webp'],
  width: 256,
  height: 256,
  fit: 'cover',
  keep_alpha: false,
}
const small = png({ width: 40, height: 20, fill: [10, 20, 30] })
/** Takes a good part of a second. */
const large = gif({ width: 4999, height: 5001 })
const webp = Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64')

let images: Images | undefined
afterEach(() => images?.close())
function imagesWith(limits: Partial<DecoderLimits> = {}): Images {
  images = createImages(log, limits)
  return images
}

const decoders = (): number[] =>
  readdirSync('/proc/self/task')
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' '))
    .filter((pid) => pid && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('decoder-process'))
    .map(Number)
const firstDecoder = () => waitFor(() => decoders()[0], 20_000)

describe('a picture', () => {
  test('is made anew by the rules', async () => {
    const read = await imagesWith().read(small, photo, 'a')
    expect(read?.content_type).toBe('image/jpeg')
    expect(await pictureFacts(read?.bytes ?? Buffer.alloc(0))).toMatchObject({ width: 40, height: 20 })
  })

  test('of a desk fills its square, in JPEG, and its transparent parts are white', async () => {
    const clear = png({ width: 40, height: 20, colour: 'rgba', fill: [10, 20, 30, 0] })
    const read = await imagesWith().read(clear, desk, 'a')
    expect(read?.content_type).toBe('image/jpeg')
    expect(await pictureFacts(read?.bytes ?? Buffer.alloc(0))).toMatchObject({
      format: 'jpeg',
      width: 256,
      height: 256,
      first: [255, 255, 255],
    })
  })

  test('of a kind is taken where the rules name that kind, and nowhere else', async () => {
    const here = imagesWith()
    expect(here.claimsToBe(webp, desk)).toBe(true)
    expect((await here.read(webp, desk, 'a'))?.content_type).toBe('image/jpeg')
    expect(here.claimsToBe(webp, photo)).toBe(false)
    expect(await here.read(webp, photo, 'a')).toBeUndefined()
  })

  test('that does not decode is none', async () => {
    expect(await imagesWith().read(small.subarray(0, 60), photo, 'a')).toBeUndefined()
  })

  test('that is another kind inside than outside is none', async () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    const disguised = Buffer.concat([jpeg({ width: 9, height: 9 }).subarray(0, 3), svg])
    expect(await imagesWith().read(disguised, photo, 'a')).toBeUndefined()
  })
})

describe('decoders', () => {
  test('refuse at once what would wait behind too many', async () => {
    const here = imagesWith({ processes: 1, waiting: 1 })
    const [first, second, third] = [
      here.read(large, photo, 'a'),
      here.read(small, photo, 'a'),
      here.read(small, photo, 'a'),
    ]
    await expect(third).rejects.toMatchObject({ name: 'Outage', reason: 'overloaded', status: 503 })
    expect([(await first)?.content_type, (await second)?.content_type]).toEqual(['image/jpeg', 'image/jpeg'])
  })

  test('keep places for others when one owner sends many', async () => {
    const here = imagesWith({ processes: 1, per_owner: 2 })
    const [first, second, third, other] = [
      here.read(large, photo, 'a'),
      here.read(small, photo, 'a'),
      here.read(small, photo, 'a'),
      here.read(small, photo, 'b'),
    ]
    await expect(third).rejects.toMatchObject({ reason: 'overloaded', status: 503 })
    expect(await Promise.all([first, second, other])).not.toContain(undefined)
    expect(await here.read(small, photo, 'a')).toBeDefined()
  })

  test('are never more than allowed', async () => {
    const here = imagesWith({ processes: 2 })
    let most = 0
    const timer = setInterval(() => {
      most = Math.max(most, decoders().length)
    }, 10)
    await Promise.all(Array.from({ length: 8 }, () => here.read(small, photo, 'a')))
    clearInterval(timer)
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(2)
  })

  test('refuse what has waited too long', async () => {
    const here = imagesWith({ processes: 1, wait_ms: 20 })
    const first = here.read(large, photo, 'a')
    await expect(here.read(small, photo, 'a')).rejects.toMatchObject({ reason: 'overloaded' })
    expect(await first).toBeDefined()
  })

  test('are ended when a picture takes too long, and the next picture is read', async () => {
    const here = imagesWith({ processes: 1, decode_ms: 8000 })
    expect(await here.read(small, photo, 'a')).toBeDefined()
    const pid = await firstDecoder()
    process.kill(pid, 'SIGSTOP')
    await expect(here.read(small, photo, 'a')).rejects.toMatchObject({ name: 'Outage', reason: 'timeout' })
    await waitFor(() => !decoders().includes(pid), 20_000)
    expect(await here.read(small, photo, 'a')).toBeDefined()
  })

  test.each(['SIGSEGV', 'SIGABRT'] as const)(
    'that crash by %s mean that the file is no picture, and whoever waits is served',
    async (signal) => {
      const here = imagesWith({ processes: 1 })
      await here.read(small, photo, 'a')
      const pid = await firstDecoder()
      const [crashed, next] = [here.read(large, photo, 'a'), here.read(small, photo, 'a')]
      process.kill(pid, signal)
      expect(await crashed).toBeUndefined()
      expect(await next).toBeDefined()
    },
  )

  test('that somebody else ends mean that it can be tried again', async () => {
    const here = imagesWith({ processes: 1 })
    await here.read(small, photo, 'a')
    const pid = await firstDecoder()
    const cut = here.read(large, photo, 'a')
    process.kill(pid, 'SIGKILL')
    await expect(cut).rejects.toMatchObject({ name: 'Outage', status: 503 })
    expect(await here.read(small, photo, 'a')).toBeDefined()
  })

  test('end when there is nothing to do', async () => {
    const here = imagesWith({ idle_ms: 50 })
    await here.read(small, photo, 'a')
    await waitFor(() => decoders().length === 0, 20_000)
    expect(await here.read(small, photo, 'a')).toBeDefined()
  })

  test('know nothing of the environment of the process', async () => {
    await imagesWith().read(small, photo, 'a')
    const pid = await firstDecoder()
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .filter(Boolean)
      .map((line) => line.slice(0, line.indexOf('=')))
    expect(names.sort()).toEqual([
      'MALLOC_ARENA_MAX',
      'NODE_CHANNEL_FD',
      'NODE_CHANNEL_SERIALIZATION_MODE',
      'UV_THREADPOOL_SIZE',
      'VIPS_BLOCK_UNTRUSTED',
    ])
  })

  test('are the first to go when the machine runs out of memory', async () => {
    await imagesWith().read(small, photo, 'a')
    const pid = await firstDecoder()
    expect(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8').trim()).toBe('1000')
  })
})
