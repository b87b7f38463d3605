import * as library from '@energetic-ai/core'
import { canMultiply, MatrixProduct, type Packed } from '#platform/embeddings/matrix-product.ts'

/** Of a tensor, what this needs to know. */
interface Tensor {
  /** Stays the same as long as its numbers. */
  readonly dataId: object
  readonly dtype: string
  readonly shape: readonly number[]
}
interface Backend {
  makeOutput(shape: readonly number[], dtype: string): Tensor
  /** A view of its memory, until it grows. */
  typedArrayFromHeap(tensor: Tensor): Float32Array
}
interface Call {
  readonly inputs: Readonly<Record<string, Tensor>>
  readonly attrs: Readonly<Record<string, unknown>>
  readonly backend: Backend
}
type Kernel = (call: Call) => Tensor

/** Of the model that the library has loaded. */
export interface LoadedModel {
  readonly weights: Readonly<Record<string, readonly Tensor[]>>
  /** What it was loaded from, which it keeps to be able to save it. */
  readonly artifacts: { weightData?: ArrayBuffer }
}

interface Kernels {
  backend(): Backend
  getKernel(name: string, backend: string): { readonly kernelFunc: Kernel } | undefined
  registerKernel(kernel: { readonly kernelFunc: Kernel }): void
  unregisterKernel(name: string, backend: string): void
}
/** Its types come from packages that it holds inside, so they are absent. */
const kernels = library as unknown as Kernels
const backendName = 'wasm'

/**
 * Nine tenths of what the model computes are products with its weights. Its library multiplies at a third of the speed that
 * WebAssembly reaches, so these products are made here; all else stays as it is.
 */
export function quicken({ weights: named, artifacts }: LoadedModel): void {
  const weights = Object.values(named).flat().filter(isFactor)
  const backend = kernels.backend()
  const product = new MatrixProduct(
    weights.map((weight) => ({ ...sizeOf(weight), numbers: backend.typedArrayFromHeap(weight) })),
  )
  const packed = new Map(weights.map(({ dataId }, at) => [dataId, product.packed[at]]))
  // Nobody saves the model.
  delete artifacts.weightData
  const multiply = ({ backend }: Call, left: Tensor, right: Packed): Tensor => {
    const made = backend.makeOutput([...left.shape.slice(0, -1), right.columns], 'float32')
    product.write(backend.typedArrayFromHeap(left), right, backend.typedArrayFromHeap(made))
    return made
  }
  replace('BatchMatMul', (call, otherwise) => {
    const { a, b } = call.inputs
    const right = b && packed.get(b.dataId)
    const isPlain = !call.attrs.transposeA && !call.attrs.transposeB
    return a && right && isPlain ? multiply(call, a, right) : otherwise(call)
  })
  replace('Conv2D', (call, otherwise) => {
    const { x, filter } = call.inputs
    const right = filter && packed.get(filter.dataId)
    return x && right && isPointwise(call) ? multiply(call, x, right) : otherwise(call)
  })
}

/** A matrix, or a filter that looks at one point. Embeddings of words are looked up, not multiplied. */
function isFactor(weight: Tensor): boolean {
  const { depth, columns } = sizeOf(weight)
  const isMatrix = weight.shape.length === 2 || (weight.shape.length === 4 && isPoint(weight))
  return weight.dtype === 'float32' && isMatrix && canMultiply({ columns }) && depth >= 64 && depth <= 4096
}
const isPoint = ({ shape }: Tensor): boolean => shape[0] === 1 && shape[1] === 1
const sizeOf = ({ shape }: Tensor) => ({ depth: shape.at(-2) ?? 0, columns: shape.at(-1) ?? 0 })

const isPointwise = ({ attrs }: Call): boolean =>
  [attrs.strides, attrs.dilations].flat().every((step) => step === undefined || step === 1) &&
  (attrs.dataFormat ?? 'NHWC') === 'NHWC'

function replace(name: string, better: (call: Call, otherwise: Kernel) => Tensor): void {
  const found = kernels.getKernel(name, backendName)
  if (!found) throw new Error(`the library has no ${name}`)
  kernels.unregisterKernel(name, backendName)
  kernels.registerKernel({ ...found, kernelFunc: (call) => better(call, found.kernelFunc) })
}
