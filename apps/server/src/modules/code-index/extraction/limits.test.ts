import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { Extractor, extractDefaults } from './extract.ts'
import { ExtractPool, poolDefaults } from './extract-pool.ts'
import type { Grammar } from './languages.rules.ts'

const wrapped = (before: string, inside: string, after: string) => (n: number) =>
  `${before.repeat(n)}${inside}${after.repeat(n)}`
const inBody =
  (head: string, tail: string, text: (n: number) => string) =>
  (n: number): string =>
    `${head}${text(n)}${tail}`
const calls = wrapped('f(', '1', ')')
const chain = (n: number) => `a${'.b()'.repeat(n)}`

/** Texts that nest as often as is asked, and how many nodes each time adds. */
const nested: readonly (readonly [Grammar, string, number, (n: number) => string])[] = [
  ['javascript', 'calls', 2, calls],
  ['javascript', 'a chain', 2, chain],
  ['javascript', 'functions', 2, wrapped('function f(){', '', '}')],
  ['javascript', 'conditions', 2, (n) => `${'if(a){}else '.repeat(n)}{}`],
  ['javascript', 'arrows', 1, (n) => `x=${'()=>'.repeat(n)}1`],
  ['javascript', 'classes', 3, inBody('x=', '', wrapped('class{a=', '1', '}'))],
  ['javascript', 'a sum', 1, (n) => `x=1${'+1'.repeat(n)}`],
  ['typescript', 'type arguments', 2, inBody('let x:', '', wrapped('A<', 'B', '>'))],
  ['python', 'calls', 2, calls],
  ['python', 'a chain', 2, chain],
  ['python', 'lambdas', 1, (n) => `x=${'lambda:'.repeat(n)}1`],
  ['go', 'calls', 2, inBody('package a\nfunc m(){', '}', calls)],
  ['go', 'a chain', 2, inBody('package a\nfunc m(){', '}', chain)],
  ['rust', 'calls', 2, inBody('fn m(){', '}', calls)],
  ['rust', 'a chain', 2, inBody('fn m(){', '}', chain)],
  ['java', 'calls', 2, inBody('class A{void m(){', ';}}', calls)],
  ['java', 'a chain', 1, inBody('class A{void m(){', ';}}', chain)],
  ['java', 'classes', 2, wrapped('class A{', '', '}')],
]

test('what nests as deep as it may is read, and what nests deeper is not', async () => {
  const { depth } = extractDefaults
  const pool = new ExtractPool({ ...poolDefaults, threads: 1 })
  const reasons = async (levels: number) => {
    const blobs = nested.map(([language, , per, text]) => ({
      language,
      bytes: Buffer.from(text(Math.floor(levels / per))),
    }))
    const facts = await pool.extract(blobs)
    return facts.map((each, at) => [nested[at]?.slice(0, 2).join(' '), JSON.parse(each).skipped])
  }
  try {
    const names = nested.map(([language, what]) => `${language} ${what}`)
    expect(await reasons(depth - 20)).toEqual(names.map((name) => [name, undefined]))
    expect(await reasons(depth + 20)).toEqual(names.map((name) => [name, 'nested too deeply']))
    expect(pool.replaced).toBe(0)
  } finally {
    await pool.close()
  }
})

test('a parse is given up by its steps, so a machine under load gives up the same files', async () => {
  const text = (statements: number) => Buffer.from('a.b(c,d);'.repeat(statements))
  const extractor = await Extractor.start({ ...extractDefaults, parse_steps: 200 })
  const reasonOf = async (statements: number) =>
    (await extractor.extract('javascript', text(statements))).skipped
  // The first size that is given up, by halving.
  let [read, given] = [1, 4_096]
  while (given - read > 1) {
    const middle = (read + given) >> 1
    if ((await reasonOf(middle)) === undefined) read = middle
    else given = middle
  }
  const busy = Array.from({ length: 4 }, () => new Worker('for (;;);', { eval: true }))
  try {
    for (let round = 0; round < 20; round += 1)
      expect([await reasonOf(read), await reasonOf(given)]).toEqual([undefined, 'parsing took too long'])
  } finally {
    await Promise.all(busy.map((each) => each.terminate()))
  }
})
