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
const transparent = new Set([
  'Box',
  'Rc',
  'Arc',
  'RefCell',
  'Cell',
  'Mutex',
  'RwLock',
  'Cow',
  'Ref',
  'RefMut',
  'Pin',
  'OnceCell',
])
const unwrapping = new Set(['unwrap', 'expect', 'unwrap_or_default', 'unwrap_or', 'unwrap_or_else', 'ok'])
const passing = new Set([
  'clone',
  'as_ref',
  'as_mut',
  'borrow',
  'borrow_mut',
  'to_owned',
  'iter',
  'iter_mut',
  'into_iter',
  'as_deref',
  'lock',
  'cloned',
])

/** Values and types of Rust as the text names them. */
export class RustExprs extends NestedExprs {
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
      case 'self':
        return this.#builder.lookup(syntax.textOf(node))
      case 'scoped_identifier':
      case 'generic_type':
      case 'type_identifier':
        return this.path(node)
      case 'field_expression':
        return memberExpr(this.of(syntax.field(node, 'value')), syntax.textOf(syntax.field(node, 'field')))
      case 'generic_function':
        return this.of(syntax.field(node, 'function'))
      case 'call_expression':
        return this.#call(node)
      case 'try_expression':
      case 'await_expression':
        return awaitExpr(this.of(syntax.first(node)))
      case 'reference_expression':
        return this.of(syntax.field(node, 'value'))
      case 'unary_expression':
      case 'parenthesized_expression':
        return this.of(syntax.first(node))
      case 'struct_expression':
        return instanceExpr(this.type(syntax.field(node, 'name')))
      case 'index_expression':
        return elementExpr(this.of(syntax.first(node)))
      case 'type_cast_expression':
        return this.valueOf(syntax.field(node, 'type'))
      default:
        return null
    }
  }

  #call(node: number): Expr {
    const syntax = this.#syntax
    const callee = syntax.field(node, 'function')
    if (syntax.kind(callee) === 'field_expression') {
      const name = syntax.textOf(syntax.field(callee, 'field'))
      const receiver = this.of(syntax.field(callee, 'value'))
      if (unwrapping.has(name)) return awaitExpr(receiver)
      // The receiver is read once: read again for the callee, a chain would cost twice as much with each call.
      return passing.has(name) ? receiver : callExpr(memberExpr(receiver, name))
    }
    const isDefault =
      syntax.kind(callee) === 'scoped_identifier' && syntax.textOf(syntax.field(callee, 'name')) === 'default'
    if (isDefault) return instanceExpr(this.path(syntax.field(callee, 'path')))
    return callExpr(this.of(callee))
  }

  /** A path with `::`. The words `crate`, `self` and `super` are names here. */
  path(node: number): Expr {
    const syntax = this.#syntax
    switch (syntax.kind(node)) {
      case 'scoped_identifier':
      case 'scoped_type_identifier': {
        const path = syntax.field(node, 'path')
        const name = syntax.textOf(syntax.field(node, 'name'))
        return path === 0 ? nameExpr(name) : memberExpr(this.path(path), name)
      }
      case 'crate':
      case 'super':
      case 'self':
        return nameExpr(syntax.textOf(node))
      case 'bracketed_type': {
        const qualified = syntax.first(node)
        return this.type(syntax.field(qualified, 'alias') || qualified)
      }
      case 'identifier': {
        const name = syntax.textOf(node)
        // Values in lower case do not hide modules.
        return /^[a-z]/.test(name) ? nameExpr(name) : this.type(node)
      }
      default:
        return this.type(node)
    }
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
      case 'scoped_type_identifier':
      case 'scoped_identifier':
        return this.path(node)
      case 'generic_type':
      case 'generic_type_with_turbofish': {
        const base = syntax.field(node, 'type')
        const args = syntax
          .children(syntax.field(node, 'type_arguments'))
          .filter((each) => syntax.kind(each) !== 'lifetime')
        const types = args.map((each) => this.type(each))
        const name = /\w+$/.exec(syntax.textOf(base))?.[0] ?? ''
        return transparent.has(name) ? (types[0] ?? null) : genericExpr(this.type(base), types)
      }
      case 'reference_type':
      case 'pointer_type':
        return this.type(syntax.field(node, 'type'))
      case 'dynamic_type':
      case 'abstract_type':
        return this.type(syntax.field(node, 'trait'))
      case 'bounded_type':
        return this.type(syntax.first(node))
      case 'array_type':
        return genericExpr(nameExpr('Vec'), [this.type(syntax.field(node, 'element'))])
      default:
        return null
    }
  }
}
