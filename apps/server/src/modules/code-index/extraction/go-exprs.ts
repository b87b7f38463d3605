import { callExpr, elementExpr, genericExpr, instanceExpr, memberExpr, nameExpr } from './exprs.rules.ts'
import type { Expr } from './facts.rules.ts'
import type { FactsBuilder } from './facts-builder.ts'
import { NestedExprs } from './nested-exprs.ts'
import type { Syntax } from './syntax.ts'

/** Values and types of Go as the text names them. */
export class GoExprs extends NestedExprs {
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
      case 'selector_expression':
        return memberExpr(this.of(syntax.field(node, 'operand')), syntax.textOf(syntax.field(node, 'field')))
      case 'call_expression':
        return this.#call(node)
      case 'type_conversion_expression':
        return callExpr(this.type(syntax.field(node, 'type')))
      case 'composite_literal':
        return instanceExpr(this.type(syntax.field(node, 'type')))
      case 'unary_expression': {
        const operand = this.of(syntax.field(node, 'operand'))
        return syntax.textOf(node).startsWith('<-') ? elementExpr(operand) : operand
      }
      case 'slice_expression':
        return this.of(syntax.field(node, 'operand'))
      case 'parenthesized_expression':
        return this.of(syntax.first(node))
      case 'index_expression':
        return elementExpr(this.of(syntax.field(node, 'operand')))
      case 'type_instantiation_expression':
        return this.type(syntax.field(node, 'type'))
      case 'type_assertion_expression':
        return this.valueOf(syntax.field(node, 'type'))
      default:
        return null
    }
  }

  #call(node: number): Expr {
    const callee = this.#syntax.field(node, 'function')
    if (this.#syntax.textOf(callee) === 'new') {
      return this.valueOf(this.#syntax.first(this.#syntax.field(node, 'arguments')))
    }
    return callExpr(this.of(callee))
  }

  override valueOf(type: number): Expr {
    return type === 0 ? null : instanceExpr(this.type(type))
  }

  type(node: number): Expr {
    const syntax = this.#syntax
    switch (syntax.kind(node)) {
      case 'type_identifier':
      case 'identifier':
        return this.#builder.lookup(syntax.textOf(node))
      case 'qualified_type':
        return memberExpr(
          this.#builder.lookup(syntax.textOf(syntax.field(node, 'package'))),
          syntax.textOf(syntax.field(node, 'name')),
        )
      case 'pointer_type':
      case 'parenthesized_type':
      case 'type_elem':
        return this.type(syntax.first(node))
      case 'slice_type':
      case 'array_type':
        return genericExpr(nameExpr('[]'), [this.type(syntax.field(node, 'element'))])
      case 'channel_type':
      case 'map_type':
        return genericExpr(nameExpr('[]'), [this.type(syntax.field(node, 'value'))])
      case 'generic_type': {
        const args = syntax.children(syntax.field(node, 'type_arguments')).map((each) => this.type(each))
        return genericExpr(this.type(syntax.field(node, 'type')), args)
      }
      default:
        return null
    }
  }

  /** The first of the results: what is left of a call whose error was looked at. */
  result(node: number): Expr {
    if (this.#syntax.kind(node) !== 'parameter_list') return this.valueOf(node)
    return this.valueOf(this.#syntax.field(this.#syntax.first(node), 'type'))
  }
}
