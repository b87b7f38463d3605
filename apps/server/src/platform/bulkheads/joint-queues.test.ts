import { expect, test } from 'vitest'
import { type Joining, JointQueues } from '#platform/bulkheads/joint-queues.ts'
import { Life } from '#platform/bulkheads/life.ts'
import { Outage } from '#platform/outage/outage.ts'

const limits = { members: 3, bytes: 100, waiting: 8, wait_ms: 5000 }
const overloaded = { name: 'Outage', status: 503, reason: 'overloaded' }

interface Member extends Joining {
  readonly name: string
}
const member = (name: string, weight = 1, life?: Life): Member => ({ name, weight, life })

/** Notes who went together, and lets each company go when it is told to. */
function ferry(refused: readonly string[] = []) {
  const crossings: string[] = []
  let go: (() => void) | undefined
  const carry = async (members: readonly Member[]) => {
    const names = members.map(({ name }) => name)
    crossings.push(names.join(''))
    await new Promise<void>((resolve) => {
      go = resolve
    })
    const bad = names.find((name) => refused.includes(name))
    if (bad) throw new Error(`${bad} is refused`)
    return names.map((name) => `${name} is over`)
  }
  const cross = async () => {
    go?.()
    go = undefined
    await new Promise(setImmediate)
  }
  return { crossings, carry, cross }
}

test('K6: the first goes at once, those who came meanwhile go together and in their order', async () => {
  const queues = new JointQueues(limits)
  const { crossings, carry, cross } = ferry()
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => queues.join('board', member(name), carry))
  const other = ferry()
  const elsewhere = queues.join('another', member('z'), other.carry)
  expect([crossings, other.crossings]).toEqual([['a'], ['z']])
  for (const _ of [1, 2, 3]) await cross()
  await other.cross()
  expect(crossings).toEqual(['a', 'bcd', 'e'])
  expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `${name} is over`))
  expect(await elsewhere).toBe('z is over')
  expect(queues.size).toBe(0)
})

test('K6: who is refused is refused alone, and costs the others nothing but time', async () => {
  const queues = new JointQueues(limits)
  const { crossings, carry, cross } = ferry(['c'])
  const all = ['a', 'b', 'c', 'd'].map((name) => queues.join('board', member(name), carry))
  const settled = Promise.allSettled(all)
  for (const _ of [1, 2, 3, 4, 5]) await cross()
  expect(crossings).toEqual(['a', 'bcd', 'b', 'c', 'd'])
  expect((await settled).map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ])
})

test('K6: nobody is tried alone while the database is away', async () => {
  const queues = new JointQueues(limits)
  const away = new Outage('database', 'unreachable')
  let calls = 0
  const carry = async (members: readonly Member[]) => {
    calls += 1
    await new Promise(setImmediate)
    if (members.length > 1) throw away
    return members.map(() => 'over')
  }
  const all = await Promise.allSettled(['a', 'b', 'c'].map((name) => queues.join('k', member(name), carry)))
  expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected'])
  expect(calls).toBe(2)
})

test('K6: whose caller has gone leaves the queue, and ends nothing for the others', async () => {
  const queues = new JointQueues(limits)
  const { crossings, carry, cross } = ferry()
  const life = new Life()
  const all = [
    queues.join('board', member('a'), carry),
    queues.join('board', member('b', 1, life), carry),
    queues.join('board', member('c'), carry),
  ]
  const settled = Promise.allSettled(all)
  life.end(new Outage('service', 'timeout'))
  for (const _ of [1, 2]) await cross()
  expect(crossings).toEqual(['a', 'c'])
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
})

test('K6: large ones go alone, a full queue and a long wait are turned away', async () => {
  const queues = new JointQueues({ ...limits, waiting: 3, wait_ms: 50 })
  const { crossings, carry, cross } = ferry()
  const all = [
    queues.join('board', member('a'), carry),
    queues.join('board', member('b', 60), carry),
    queues.join('board', member('c', 60), carry),
    queues.join('board', member('d'), carry),
  ]
  await expect(queues.join('board', member('e'), carry)).rejects.toMatchObject(overloaded)
  await cross()
  expect(crossings).toEqual(['a', 'b'])
  await Promise.all(all.slice(2).map((late) => expect(late).rejects.toMatchObject(overloaded)))
  await cross()
  expect(await Promise.all(all.slice(0, 2))).toHaveLength(2)
  expect(queues.size).toBe(0)
})
