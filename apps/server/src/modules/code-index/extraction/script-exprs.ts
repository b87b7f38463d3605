import {
  awaitExpr,
  callExpr,
  elementExpr,
  genericExpr,
  instanceExpr,
  memberExpr,
  nameExpr,
} from './exprs.rules.ts'
import type { Expr } from './facts.rules.ts'
import type { FactsBuilder } from './facts-builder.ts'
import { NestedExprs } from './nested-exprs.ts'
import type { Syntax } from './syntax.ts'

/** Types that have the members of their first argument. */
const transparent = new Set(['Readonly', 'Partial', 'Required', 'NonNullable', 'Awaited', 'Omit', 'Pick'])

/** Values and types of TypeScript and JavaScript as the text names them. */
export class ScriptExprs extends NestedExprs {
  /** What `this` is, and the class whose base `super` is. */
  self: Expr = null
  superOf = -1
  readonly typeParameters: Map<string, Expr>[] = []
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
      case 'shorthand_property_identifier':
        return this.#builder.lookup(syntax.textOf(node))
      case 'this':
        return this.self
      case 'super':
        return this.superOf < 0 ? null : ['super', this.superOf]
      case 'member_expression':
        return memberExpr(
          this.of(syntax.field(node, 'object')),
          syntax.textOf(syntax.field(node, 'property')),
        )
      case 'subscript_expression':
        return this.#subscript(node)
      case 'call_expression':
        return this.#call(node)
      case 'new_expression':
        return this.#instance(syntax.field(node, 'constructor'))
      case 'await_expression':
        return awaitExpr(this.of(syntax.first(node)))
      case 'parenthesized_expression':
      case 'non_null_expression':
        return this.of(syntax.first(node))
      case 'as_expression':
      case 'satisfies_expression': {
        const type = this.#syntax.next(syntax.first(node))
        return (type === 0 ? null : this.valueOf(type)) ?? this.of(syntax.first(node))
      }
      case 'assignment_expression':
        return this.of(syntax.field(node, 'right'))
      case 'ternary_expression':
        return this.of(syntax.field(node, 'consequence')) ?? this.of(syntax.field(node, 'alternative'))
      case 'binary_expression':
        return this.#either(node)
      case 'array':
        return genericExpr(nameExpr('Array'), [instanceless(this.of(syntax.first(node)))])
      default:
        return null
    }
  }

  #either(node: number): Expr {
    const left = this.#syntax.field(node, 'left')
    const right = this.#syntax.field(node, 'right')
    const operator = this.#syntax.text.slice(this.#syntax.end(left), this.#syntax.start(right))
    return /\?\?|\|\|/.test(operator) ? (this.of(left) ?? this.of(right)) : null
  }

  #subscript(node: number): Expr {
    const key = this.#syntax.field(node, 'index')
    const object = this.of(this.#syntax.field(node, 'object'))
    if (this.#syntax.kind(key) === 'string') return memberExpr(object, this.stringOf(key) ?? '')
    return elementExpr(object)
  }

  #call(node: number): Expr {
    const callee = this.#syntax.field(node, 'function')
    const source = this.moduleCalled(node)
    if (source !== undefined) return nameExpr(source)
    if (this.#syntax.kind(callee) === 'super') return null
    return callExpr(this.of(callee))
  }

  #instance(callee: number): Expr {
    const made = this.of(callee)
    return made === null || made[0] === 'self' ? made : instanceExpr(made)
  }

  /** The local name of what `require('x')` or `import('x')` gives. */
  moduleCalled(node: number): string | undefined {
    const callee = this.#syntax.field(node, 'function')
    const isImport = this.#syntax.kind(callee) === 'import'
    if (
      !isImport &&
      !(this.#syntax.kind(callee) === 'identifier' && this.#syntax.textOf(callee) === 'require')
    ) {
      return undefined
    }
    if (!isImport && this.#builder.isBound('require')) return undefined
    const source = this.stringOf(this.#syntax.first(this.#syntax.field(node, 'arguments')))
    return source === undefined ? undefined : `${isImport ? 'import' : 'require'}:${source}`
  }

  stringOf(node: number): string | undefined {
    const kind = this.#syntax.kind(node)
    if (node === 0 || (kind !== 'string' && kind !== 'template_string')) return undefined
    const text = this.#syntax.textOf(node).slice(1, -1)
    return kind === 'template_string' && text.includes('${') ? undefined : text
  }

  /** A value that has this type. */
  override valueOf(type: number): Expr {
    const syntax = this.#syntax
    if (type === 0) return null
    switch (syntax.kind(type)) {
      case 'type_annotation':
      case 'parenthesized_type':
      case 'readonly_type':
        return this.valueOf(syntax.first(type))
      case 'type_query':
        return this.of(syntax.first(type))
      case 'this_type':
        return this.self
      case 'generic_type':
        if (this.#syntax.textOf(syntax.first(type)) === 'ReturnType') {
          return callExpr(this.valueOf(syntax.first(this.#syntax.field(type, 'type_arguments'))))
        }
        return instanceExpr(this.type(type))
      case 'type_predicate_annotation':
      case 'asserts_annotation':
        return null
      default:
        return instanceExpr(this.type(type))
    }
  }

  type(node: number): Expr {
    const syntax = this.#syntax
    switch (syntax.kind(node)) {
      case 'type_identifier':
      case 'identifier':
        return this.#typeName(syntax.textOf(node))
      case 'nested_type_identifier':
        return memberExpr(this.type(syntax.field(node, 'module')), syntax.textOf(syntax.field(node, 'name')))
      case 'nested_identifier':
        return memberExpr(
          this.type(syntax.field(node, 'object')),
          syntax.textOf(syntax.field(node, 'property')),
        )
      case 'member_expression':
        return this.of(node)
      case 'generic_type': {
        const args = this.#syntax
          .children(syntax.field(node, 'type_arguments'))
          .map((each) => this.type(each))
        if (transparent.has(syntax.textOf(syntax.first(node)))) return args[0] ?? null
        return genericExpr(this.type(syntax.first(node)), args)
      }
      case 'array_type':
        return genericExpr(nameExpr('Array'), [this.type(syntax.first(node))])
      case 'readonly_type':
      case 'parenthesized_type':
      case 'type_annotation':
        return this.type(syntax.first(node))
      case 'union_type':
        return this.#union(node)
      case 'intersection_type':
        return (
          this.#syntax
            .children(node)
            .map((each) => this.type(each))
            .find((each) => each !== null) ?? null
        )
      default:
        return null
    }
  }

  #typeName(name: string): Expr {
    const parameter = this.typeParameters.findLast((each) => each.has(name))
    return parameter ? (parameter.get(name) ?? null) : this.#builder.lookup(name)
  }

  /** A union is followed only when one member of it has members of its own. */
  #union(node: number): Expr {
    const parts = this.#syntax
      .children(node)
      .filter((each) => !['literal_type', 'predefined_type'].includes(this.#syntax.kind(each)))
    const [only, other] = parts
    return only === undefined || other !== undefined ? null : this.type(only)
  }
}

/** The type of a value, for the element of an array literal. */
const instanceless = (value: Expr): Expr => (value?.[0] === 'i' ? value[1] : null)
