import { elementExpr, instanceExpr, nameExpr } from './exprs.rules.ts'
import type { Expr, FileFacts } from './facts.rules.ts'
import { GoExprs } from './go-exprs.ts'
import { root, type Syntax } from './syntax.ts'
import { SyntaxReading } from './syntax-reading.ts'

/** Facts of a Go file. */
export function readGo(syntax: Syntax): FileFacts {
  return new GoReader(syntax).read()
}

class GoReader {
  readonly #reading: SyntaxReading
  readonly #exprs: GoExprs

  constructor(syntax: Syntax) {
    this.#reading = new SyntaxReading(syntax)
    this.#exprs = new GoExprs(this.#reading.builder)
  }

  read(): FileFacts {
    const reading = this.#reading
    const { syntax, builder } = reading
    reading.on(['import_spec'], (node) => this.#import(node))
    reading.on(['function_declaration'], (node) => {
      this.#function(node, builder.define(reading.nameOf(node), 'function', node))
    })
    reading.on(['method_declaration'], (node) => this.#method(node))
    reading.on(['type_spec', 'type_alias'], (node) => this.#type(node))
    reading.on(['const_spec', 'var_spec'], (node) => this.#declare(node))
    reading.on(['short_var_declaration', 'assignment_statement'], (node) => {
      reading.visit(syntax.field(node, 'right'))
      reading.visit(syntax.field(node, 'left'))
      if (syntax.kind(node) === 'short_var_declaration') {
        this.#bindAll(
          syntax.children(syntax.field(node, 'left')),
          syntax.children(syntax.field(node, 'right')),
        )
      }
    })
    reading.on(['range_clause'], (node) => {
      const right = syntax.field(node, 'right')
      const [key, value] = syntax.children(syntax.field(node, 'left'))
      if (key !== undefined) builder.bind(syntax.textOf(key), null)
      if (value !== undefined) builder.bind(syntax.textOf(value), elementExpr(this.#exprs.of(right)))
      reading.visit(right)
    })
    const blocks = [
      'block',
      'for_statement',
      'if_statement',
      'expression_switch_statement',
      'select_statement',
    ]
    reading.on([...blocks, 'expression_case', 'communication_case', 'default_case'], (node) => {
      if (builder.isLocal) builder.scoped(() => reading.children(node))
      else reading.children(node)
    })
    reading.on(['receive_statement'], (node) => {
      const [name] = syntax.children(syntax.field(node, 'left'))
      if (name !== undefined) builder.bind(syntax.textOf(name), this.#exprs.of(syntax.field(node, 'right')))
      reading.visit(syntax.field(node, 'right'))
    })
    reading.on(['type_switch_statement'], (node) => this.#typeSwitch(node))
    reading.on(['func_literal'], (node) =>
      reading.body(-1, () => {
        this.#parameters(syntax.field(node, 'parameters'))
        reading.visit(syntax.field(node, 'body'))
      }),
    )
    reading.on(['call_expression'], (node) => {
      builder.call(this.#exprs.of(syntax.field(node, 'function')))
      reading.children(node)
    })
    reading.on(['type_conversion_expression'], (node) => {
      builder.call(this.#exprs.type(syntax.field(node, 'type')))
      reading.visit(syntax.field(node, 'operand'))
    })
    reading.children(root)
    const clause = syntax.first(syntax.child(root, 'package_clause'))
    return builder.facts({ package: syntax.textOf(clause) })
  }

  #import(node: number): void {
    const { syntax, builder } = this.#reading
    const from = syntax.textOf(syntax.field(node, 'path')).slice(1, -1)
    const name = syntax.textOf(syntax.field(node, 'name'))
    if (name === '.') builder.imports.push({ from, names: [], wildcard: true })
    // Without a name here, the package is known by the one it gives itself.
    else builder.imports.push({ from, names: name === '_' ? [] : [['*', name]] })
  }

  #method(node: number): void {
    const { syntax, builder } = this.#reading
    const receiver = syntax.first(syntax.field(node, 'receiver'))
    let type = syntax.field(receiver, 'type')
    while (['pointer_type', 'generic_type', 'parenthesized_type'].includes(syntax.kind(type)))
      type = syntax.first(type)
    const holder = syntax.textOf(type)
    const name = this.#reading.nameOf(node)
    const definition = builder.define(`${holder}.${name}`, 'method', node, -1, name)
    this.#function(node, definition, [
      syntax.textOf(syntax.field(receiver, 'name')),
      instanceExpr(nameExpr(holder)),
    ])
  }

  #function(node: number, definition: number, receiver?: readonly [string, Expr]): void {
    const { syntax, builder } = this.#reading
    const read = () => {
      this.#typeParameters(node)
      builder.setResult(definition, this.#exprs.result(syntax.field(node, 'result')))
      if (receiver) builder.bind(receiver[0], receiver[1])
      this.#parameters(syntax.field(node, 'parameters'))
      this.#parameters(syntax.field(node, 'result'))
      this.#reading.visit(syntax.field(node, 'body'))
    }
    this.#reading.body(definition, read)
  }

  #typeParameters(node: number): void {
    const { syntax, builder } = this.#reading
    for (const each of syntax.children(syntax.field(node, 'type_parameters'))) {
      const constraint = this.#exprs.type(syntax.first(syntax.field(each, 'type')))
      for (const name of syntax.fields(each, 'name')) builder.bind(syntax.textOf(name), constraint)
    }
  }

  #parameters(list: number): void {
    const { syntax, builder } = this.#reading
    if (syntax.kind(list) !== 'parameter_list') return
    for (const parameter of syntax.children(list)) {
      const value = this.#exprs.valueOf(syntax.field(parameter, 'type'))
      const isMany = syntax.kind(parameter) === 'variadic_parameter_declaration'
      for (const name of syntax.fields(parameter, 'name'))
        builder.bind(syntax.textOf(name), isMany ? null : value)
    }
  }

  #type(node: number): void {
    const { syntax, builder } = this.#reading
    if (builder.isLocal) return
    const type = syntax.field(node, 'type')
    const kind = syntax.kind(type)
    const definition = builder.define(
      this.#reading.nameOf(node),
      kind === 'struct_type' ? 'class' : kind === 'interface_type' ? 'interface' : 'type',
      node,
    )
    if (kind === 'struct_type') {
      for (const field of syntax.children(syntax.first(type))) this.#field(definition, field)
    } else if (kind === 'interface_type') {
      for (const member of syntax.children(type)) this.#interfaceMember(definition, member)
    } else if (syntax.kind(node) === 'type_alias') builder.setValue(definition, this.#exprs.type(type))
    else builder.addBases(definition, [this.#exprs.type(type)])
  }

  #field(definition: number, field: number): void {
    const { syntax, builder } = this.#reading
    const type = syntax.field(field, 'type')
    const names = syntax.fields(field, 'name')
    for (const name of names) builder.addField(definition, syntax.textOf(name), this.#exprs.valueOf(type))
    if (names.length > 0 || type === 0) return
    builder.addBases(definition, [this.#exprs.type(type)])
    const own = /(\w+)(?:\[.*\])?$/.exec(syntax.textOf(type))?.[1]
    if (own !== undefined) builder.addField(definition, own, this.#exprs.valueOf(type))
  }

  #interfaceMember(definition: number, member: number): void {
    const { syntax, builder } = this.#reading
    if (syntax.kind(member) !== 'method_elem') {
      const parts = syntax.children(member)
      if (parts.length === 1) builder.addBases(definition, [this.#exprs.type(parts[0] ?? 0)])
      return
    }
    const method = builder.define(this.#reading.nameOf(member), 'method', member, definition)
    builder.setResult(method, this.#exprs.result(syntax.field(member, 'result')))
  }

  #declare(node: number): void {
    const { syntax, builder } = this.#reading
    const names = syntax.fields(node, 'name')
    const declared = this.#exprs.valueOf(syntax.field(node, 'type'))
    const values = syntax.children(syntax.field(node, 'value'))
    if (builder.isLocal) {
      this.#reading.visit(syntax.field(node, 'value'))
      this.#bindAll(names, values, declared)
      return
    }
    names.forEach((name, at) => {
      const text = syntax.textOf(name)
      if (text === '_') return
      const value = values[at] ?? 0
      const definition = builder.define(text, 'constant', node)
      builder.setValue(definition, declared ?? (value === 0 ? null : this.#exprs.of(value)))
      builder.inside(definition, () => this.#reading.visit(value))
    })
  }

  #bindAll(names: readonly number[], values: readonly number[], declared: Expr = null): void {
    const { syntax, builder } = this.#reading
    names.forEach((name, at) => {
      const value = values[at] ?? 0
      const text = syntax.textOf(name)
      if (syntax.kind(name) === 'identifier')
        builder.bind(text, declared ?? (value === 0 ? null : this.#exprs.of(value)))
    })
  }

  #typeSwitch(node: number): void {
    const { syntax, builder } = this.#reading
    const alias = syntax.textOf(syntax.first(syntax.field(node, 'alias')))
    this.#reading.visit(syntax.field(node, 'value'))
    for (const part of syntax.children(node)) {
      if (syntax.kind(part) !== 'type_case' && syntax.kind(part) !== 'default_case') continue
      const types = syntax.fields(part, 'type')
      builder.scoped(() => {
        if (alias !== '') builder.bind(alias, types.length === 1 ? this.#exprs.valueOf(types[0] ?? 0) : null)
        this.#reading.children(part)
      })
    }
  }
}
