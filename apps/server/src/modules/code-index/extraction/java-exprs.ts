import { callExpr, elementExpr, genericExpr, instanceExpr, memberExpr, nameExpr } from './exprs.rules.ts'
import type { Expr } from './facts.rules.ts'
import type { FactsBuilder } from './facts-builder.ts'
import { NestedExprs } from './nested-exprs.ts'
import type { Syntax } from './syntax.ts'

/** Calls that give the same elements. */
const passing = new Set([
  'stream',
  'parallelStream',
  'iterator',
  'filter',
  'sorted',
  'toList',
  'values',
  'peek',
])

/** Values and types of Java as the text names them. A method without an object is the name with `()`. */
export class JavaExprs extends NestedExprs {
  /** The class whose methods are read, or -1. */
  self = -1
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
        return this.#builder.lookup(syntax.textOf(node))
      case 'this':
        return this.self < 0 ? null : ['self', this.self]
      case 'super':
        return this.self < 0 ? null : ['super', this.self]
      case 'field_access':
        return this.#field(node)
      case 'method_invocation':
        return this.#call(node)
      case 'object_creation_expression':
        return this.valueOf(syntax.field(node, 'type'))
      case 'parenthesized_expression':
        return this.of(syntax.first(node))
      case 'cast_expression':
        return this.valueOf(syntax.field(node, 'type'))
      case 'array_access':
        return elementExpr(this.of(syntax.field(node, 'array')))
      case 'ternary_expression':
        return this.of(syntax.field(node, 'consequence')) ?? this.of(syntax.field(node, 'alternative'))
      case 'assignment_expression':
        return this.of(syntax.field(node, 'right'))
      case 'scoped_identifier':
        return memberExpr(this.of(syntax.field(node, 'scope')), syntax.textOf(syntax.field(node, 'name')))
      case 'type_identifier':
      case 'generic_type':
      case 'scoped_type_identifier':
        return this.type(node)
      default:
        return null
    }
  }

  #field(node: number): Expr {
    const syntax = this.#syntax
    const field = syntax.field(node, 'field')
    const object = syntax.field(node, 'object')
    // `Outer.this`
    if (syntax.kind(field) === 'this') return instanceExpr(this.of(object))
    return memberExpr(this.of(object), syntax.textOf(field))
  }

  /** What a method call has as its callee. */
  callee(node: number): Expr {
    const syntax = this.#syntax
    const object = syntax.field(node, 'object')
    const name = syntax.textOf(syntax.field(node, 'name'))
    return object === 0 ? nameExpr(`${name}()`) : memberExpr(this.of(object), name)
  }

  #call(node: number): Expr {
    const object = this.#syntax.field(node, 'object')
    const name = this.#syntax.textOf(this.#syntax.field(node, 'name'))
    if (object !== 0 && passing.has(name)) return this.of(object)
    return callExpr(this.callee(node))
  }

  override valueOf(type: number): Expr {
    return type === 0 ? null : instanceExpr(this.type(type))
  }

  type(node: number): Expr {
    const syntax = this.#syntax
    switch (syntax.kind(node)) {
      case 'type_identifier':
      case 'identifier': {
        const name = syntax.textOf(node)
        const parameter = this.typeParameters.findLast((each) => each.has(name))
        return parameter ? (parameter.get(name) ?? null) : name === 'var' ? null : nameExpr(name)
      }
      case 'scoped_type_identifier': {
        const [scope = 0, name = 0] = syntax
          .children(node)
          .filter((each) => /identifier$|^generic/.test(syntax.kind(each)))
        return memberExpr(this.type(scope), syntax.textOf(name))
      }
      case 'generic_type': {
        const args = syntax.children(syntax.child(node, 'type_arguments')).map((each) => this.type(each))
        return genericExpr(this.type(syntax.first(node)), args)
      }
      case 'wildcard':
        return this.type(syntax.children(node).at(-1) ?? 0)
      case 'annotated_type':
        return this.type(syntax.children(node).at(-1) ?? 0)
      case 'array_type':
        return genericExpr(nameExpr('[]'), [this.type(syntax.field(node, 'element'))])
      default:
        return null
    }
  }
}
