/** Rows of the left matrix and columns of the right one that are multiplied together, in registers. */
export const tile = { rows: 4, columns: 8 }

type Code = readonly number[]

/** Numbers of WebAssembly have as many bytes as they need; the last one has no top bit. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}
function signed(value: number): Code {
  const isLast = value >= -0x40 && value < 0x40
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]
}

const i32 = 0x7f
const v128 = 0x7b
const end: Code = [0x0b]
const constant = (value: number): Code => [0x41, ...signed(value)]
const add: Code = [0x6a]
const subtract: Code = [0x6b]
const multiply: Code = [0x6c]
const isLess: Code = [0x48]
/** What follows until its end, again and again while the last value is not 0. */
const loop = (...body: readonly Code[]): Code => [0x03, 0x40, ...body.flat(), 0x0d, 0, ...end]

const vector = (code: number): Code => [0xfd, ...unsigned(code)]
const loadVector = (offset: number): Code => [...vector(0), 4, ...unsigned(offset)]
const storeVector = (offset: number): Code => [...vector(11), 4, ...unsigned(offset)]
/** One number, four times. */
const loadSplat = (offset: number): Code => [...vector(9), 2, ...unsigned(offset)]
const zeros: Code = [...vector(12), ...Array.from({ length: 16 }, () => 0)]
const multiplyVectors = vector(0xe6)
const addVectors = vector(0xe4)
/** Both at once, rounded as the processor does: the last bit may differ from machine to machine. */
const multiplyAndAdd = vector(0x105)

/** Addresses and counts that the caller passes, and what the code keeps for itself. */
const names = ['left', 'right', 'product', 'blocks', 'panels', 'depth'] as const
const own = ['a', 'b', 'c', 'block', 'panel', 'left_in_panel', 'row_bytes', 'row'] as const
type Name = (typeof names)[number] | (typeof own)[number]
const all: readonly Name[] = [...names, ...own]

const half = 16
const panelBytes = tile.columns * 4
const blockBytes = tile.rows * 4
const sums = Array.from({ length: tile.rows }, (_, row) => [0, 1].map((at) => all.length + 2 * row + at))
const [low, high, one] = [0, 1, 2].map((at) => all.length + 2 * tile.rows + at) as [number, number, number]

const at = (local: Name | number): Code => unsigned(typeof local === 'number' ? local : all.indexOf(local))
const get = (local: Name | number): Code => [0x20, ...at(local)]
const set = (local: Name | number): Code => [0x21, ...at(local)]
const keep = (local: Name | number): Code => [0x22, ...at(local)]
const put = (local: Name, ...value: readonly Code[]): Code => [...value.flat(), ...set(local)]
const increase = (local: Name, by: Code): Code => put(local, get(local), by, add)

/**
 * A module with `multiply(left, right, product, blocks, panels, depth)` on memory that it imports. The left matrix lies in
 * blocks of rows and the right one in panels of columns, each number by number along the depth; the product by rows.
 */
function moduleOf(isRelaxed: boolean): Uint8Array<ArrayBuffer> {
  const addProduct = (sum: number, half: number): Code =>
    isRelaxed
      ? [...get(one), ...get(half), ...get(sum), ...multiplyAndAdd, ...set(sum)]
      : [...get(one), ...get(half), ...multiplyVectors, ...get(sum), ...addVectors, ...set(sum)]
  const step = sums.flatMap(([first = 0, second = 0], row) => [
    ...get('a'),
    ...loadSplat(4 * row),
    ...set(one),
    ...addProduct(first, low),
    ...addProduct(second, high),
  ])
  const store = sums.flatMap(([first = 0, second = 0]) => [
    ...get('row'),
    ...get(first),
    ...storeVector(0),
    ...get('row'),
    ...get(second),
    ...storeVector(half),
    ...increase('row', get('row_bytes')),
  ])
  const body = [
    put('row_bytes', get('panels'), constant(panelBytes), multiply),
    loop(
      put('a', get('left')),
      put('c', get('product'), get('panel'), constant(panelBytes), multiply, add),
      put('block', constant(0)),
      loop(
        sums.flat().flatMap((sum) => [...zeros, ...set(sum)]),
        put('b', get('right')),
        put('left_in_panel', get('depth')),
        loop(
          [...get('b'), ...loadVector(0), ...set(low), ...get('b'), ...loadVector(half), ...set(high)],
          step,
          increase('a', constant(blockBytes)),
          increase('b', constant(panelBytes)),
          [...get('left_in_panel'), ...constant(1), ...subtract, ...keep('left_in_panel')],
        ),
        put('row', get('c')),
        store,
        put('c', get('row')),
        [...get('block'), ...constant(1), ...add, ...keep('block'), ...get('blocks'), ...isLess],
      ),
      increase('right', [...get('depth'), ...constant(panelBytes), ...multiply]),
      [...get('panel'), ...constant(1), ...add, ...keep('panel'), ...get('panels'), ...isLess],
    ),
    end,
  ].flat()
  const text = (name: string): Code => [...unsigned(name.length), ...Buffer.from(name)]
  const section = (id: number, ...content: readonly Code[]): Code => {
    const bytes = content.flat()
    return [id, ...unsigned(bytes.length), ...bytes]
  }
  const locals = [2, ...unsigned(own.length), i32, ...unsigned(2 * tile.rows + 3), v128]
  const code = [...locals, ...body]
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, names.length, ...names.map(() => i32), 0]),
    ...section(2, [1], text('own'), text('memory'), [2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1], text('multiply'), [0, 0]),
    ...section(10, [1, ...unsigned(code.length), ...code]),
  ])
}

export type Multiply = (
  left: number,
  right: number,
  product: number,
  blocks: number,
  panels: number,
  depth: number,
) => void

export interface Memory {
  readonly buffer: ArrayBuffer
}
/** Node has it, but its types leave it to those of browsers. */
interface WebAssembly {
  readonly Memory: new (size: { readonly initial: number }) => Memory
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (
    module: object,
    imports: { readonly own: { readonly memory: Memory } },
  ) => { readonly exports: Readonly<Record<string, unknown>> }
  validate(bytes: Uint8Array): boolean
}
const { WebAssembly: engine } = globalThis as unknown as { readonly WebAssembly: WebAssembly }

const pageBytes = 65_536
export const memoryOf = (bytes: number): Memory =>
  new engine.Memory({ initial: Math.ceil(bytes / pageBytes) })

/** The quicker code where this version of Node knows it. */
export function compileMultiply(memory: Memory, mayRelax = true): Multiply {
  const relaxed = moduleOf(true)
  const bytes = mayRelax && engine.validate(relaxed) ? relaxed : moduleOf(false)
  const { exports } = new engine.Instance(new engine.Module(bytes), { own: { memory } })
  return exports.multiply as Multiply
}
