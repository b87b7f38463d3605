import {
  awaitExpr,
  callExpr,
  elementExpr,
  genericExpr,
  instanceExpr,
  memberExpr,
  nameExpr,
  pathExpr,
} from './exprs.rules.ts'
import type { Expr } from './facts.rules.ts'
import type { FactsBuilder } from './facts-builder.ts'
import { NestedExprs } from './nested-exprs.ts'
import type { Syntax } from './syntax.ts'

/** Types that say what they wrap and nothing more. */
const transparent = new Set([
  'Optional',
  'Annotated',
  'Final',
  'ClassVar',
  'Required',
  'NotRequired',
  'typing.Optional',
])

/** Values and types of Python as the text names them. */
export class PythonExprs extends NestedExprs {
  readonly #builder: FactsBuilder
  readonly #syntax: Syntax

  constructor(builder: FactsBuilder) {
    super()
    this.#builder = builder
    this.#syntax = builder.syntax
  }

  protected override read(node: number): Expr {
    const syntax = this.#syntax
    switch (syntax.kind(node)) {
      case 'identifier':
        return this.#builder.lookup(syntax.textOf(node))
      case 'attribute':
        return memberExpr(
          this.of(syntax.field(node, 'object')),
          syntax.textOf(syntax.field(node, 'attribute')),
        )
      case 'call':
        return this.#call(node)
      case 'await':
        return awaitExpr(this.of(syntax.first(node)))
      case 'subscript':
        return elementExpr(this.of(syntax.field(node, 'value')))
      case 'parenthesized_expression':
      case 'conditional_expression':
      case 'as_pattern':
        return this.of(syntax.first(node))
      case 'named_expression':
        return this.of(syntax.field(node, 'value'))
      case 'boolean_operator':
        return this.of(syntax.field(node, 'left')) ?? this.of(syntax.field(node, 'right'))
      default:
        return null
    }
  }

  #call(node: number): Expr {
    const callee = this.#syntax.field(node, 'function')
    const name = this.#syntax.textOf(callee)
    if (name !== 'super') return callExpr(this.of(callee))
    return this.#builder.holder < 0 ? null : ['super', this.#builder.holder]
  }

  override valueOf(type: number): Expr {
    if (type === 0) return null
    const text = this.#syntax.textOf(type)
    const made = /^(?:typing\.)?[Tt]ype\[\s*["']?([\w.]+)["']?\s*\]$/.exec(text)?.[1]
    return made === undefined ? instanceExpr(this.type(type)) : pathExpr(made)
  }

  type(node: number): Expr {
    const syntax = this.#syntax
    switch (syntax.kind(node)) {
      case 'type':
        return this.type(syntax.first(node))
      case 'identifier':
        return this.#builder.lookup(syntax.textOf(node))
      case 'attribute':
        return this.of(node)
      case 'member_type':
        return memberExpr(this.type(syntax.first(node)), syntax.textOf(syntax.next(syntax.first(node))))
      case 'string':
        return written(syntax.textOf(node).replace(/^["']|["']$/g, ''))
      case 'generic_type':
        return this.#generic(syntax.first(node), syntax.children(syntax.next(syntax.first(node))))
      case 'subscript':
        return this.#generic(syntax.field(node, 'value'), syntax.fields(node, 'subscript'))
      case 'binary_operator':
      case 'union_type': {
        const parts = syntax.children(node).filter((each) => syntax.textOf(each) !== 'None')
        return parts.length === 1 ? this.type(parts[0] ?? 0) : null
      }
      default:
        return null
    }
  }

  #generic(base: number, args: readonly number[]): Expr {
    const name = this.#syntax.textOf(base)
    const known = args.filter((each) => this.#syntax.textOf(each) !== 'None')
    if (transparent.has(name)) return this.type(known[0] ?? 0)
    if (name === 'Union' || name === 'typing.Union')
      return known.length === 1 ? this.type(known[0] ?? 0) : null
    return genericExpr(
      this.type(base),
      args.map((each) => this.type(each)),
    )
  }
}

/** A type in quotes: a name, alone or in `Optional[…]` or `… | None`. */
function written(text: string): Expr {
  const name = /^(?:(?:typing\.)?Optional\[)?\s*([\w.]+)\s*\]?(?:\s*\|\s*None)?$/.exec(text)?.[1]
  if (name !== undefined) return pathExpr(name)
  const list = /^(\w+)\[\s*([\w.]+)\s*\]$/.exec(text)
  return list ? genericExpr(nameExpr(list[1] ?? ''), [pathExpr(list[2] ?? '')]) : null
}
