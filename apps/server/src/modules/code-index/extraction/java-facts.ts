import { elementExpr, memberExpr } from './exprs.rules.ts'
import type { Expr, FileFacts } from './facts.rules.ts'
import { JavaExprs } from './java-exprs.ts'
import { root, type Syntax } from './syntax.ts'
import { SyntaxReading } from './syntax-reading.ts'

/** Facts of a Java file. */
export function readJava(syntax: Syntax): FileFacts {
  return new JavaReader(syntax).read()
}

const types: Readonly<Record<string, 'class' | 'interface'>> = {
  class_declaration: 'class',
  record_declaration: 'class',
  enum_declaration: 'class',
  interface_declaration: 'interface',
  annotation_type_declaration: 'interface',
}
const overElements = new Set([
  'forEach',
  'map',
  'filter',
  'anyMatch',
  'allMatch',
  'noneMatch',
  'flatMap',
  'peek',
  'removeIf',
])

class JavaReader {
  readonly #reading: SyntaxReading
  readonly #exprs: JavaExprs
  #package = ''

  constructor(syntax: Syntax) {
    this.#reading = new SyntaxReading(syntax)
    this.#exprs = new JavaExprs(this.#reading.builder)
  }

  read(): FileFacts {
    const reading = this.#reading
    const { syntax, builder } = reading
    reading.on(['package_declaration'], (node) => {
      this.#package = syntax.textOf(syntax.child(node, 'scoped_identifier', 'identifier')).replace(/\s+/g, '')
    })
    reading.on(['import_declaration'], (node) => this.#import(node))
    reading.on(Object.keys(types), (node) => this.#type(node))
    reading.on(['method_declaration'], (node) => this.#method(node, 'method'))
    reading.on(['constructor_declaration', 'compact_constructor_declaration'], (node) =>
      this.#method(node, 'constructor'),
    )
    reading.on(['field_declaration', 'constant_declaration'], (node) => this.#fields(node))
    reading.on(['enum_constant'], (node) => {
      if (!builder.isLocal) builder.addField(builder.holder, reading.nameOf(node), ['self', builder.holder])
      reading.visit(syntax.field(node, 'arguments'))
      this.#anonymous(syntax.field(node, 'body'))
    })
    this.#onStatements()
    this.#onCalls()
    reading.children(root)
    return builder.facts({ package: this.#package })
  }

  #onStatements(): void {
    const reading = this.#reading
    const { syntax, builder } = reading
    reading.on(['block', 'for_statement', 'switch_block_statement_group', 'switch_rule'], (node) =>
      builder.scoped(() => reading.children(node)),
    )
    reading.on(['local_variable_declaration'], (node) => {
      const declared = this.#exprs.valueOf(syntax.field(node, 'type'))
      for (const each of syntax.fields(node, 'declarator')) {
        const value = syntax.field(each, 'value')
        reading.visit(value)
        builder.bind(reading.nameOf(each), declared ?? (value === 0 ? null : this.#exprs.of(value)))
      }
    })
    reading.on(['enhanced_for_statement'], (node) => {
      const value = syntax.field(node, 'value')
      reading.visit(value)
      builder.scoped(() => {
        const declared = this.#exprs.valueOf(syntax.field(node, 'type'))
        builder.bind(reading.nameOf(node), declared ?? elementExpr(this.#exprs.of(value)))
        reading.visit(syntax.field(node, 'body'))
      })
    })
    reading.on(['resource'], (node) => {
      reading.visit(syntax.field(node, 'value'))
      const declared = this.#exprs.valueOf(syntax.field(node, 'type'))
      builder.bind(reading.nameOf(node), declared ?? this.#exprs.of(syntax.field(node, 'value')))
    })
    reading.on(['try_with_resources_statement'], (node) => builder.scoped(() => reading.children(node)))
    reading.on(['catch_clause'], (node) =>
      builder.scoped(() => {
        const parameter = syntax.child(node, 'catch_formal_parameter')
        const caught = syntax.children(syntax.child(parameter, 'catch_type'))
        builder.bind(
          reading.nameOf(parameter),
          caught.length === 1 ? this.#exprs.valueOf(caught[0] ?? 0) : null,
        )
        reading.visit(syntax.field(node, 'body'))
      }),
    )
    reading.on(['instanceof_expression'], (node) => {
      const name = syntax.field(node, 'name')
      if (name !== 0) builder.bind(syntax.textOf(name), this.#exprs.valueOf(syntax.field(node, 'right')))
      reading.visit(syntax.field(node, 'left'))
    })
    reading.on(['return_statement'], (node) => {
      reading.returns.push(this.#exprs.of(syntax.first(node)))
      reading.children(node)
    })
    reading.on(['lambda_expression'], (node) => this.#lambda(node))
    reading.on(['static_initializer'], (node) => reading.children(node))
  }

  #onCalls(): void {
    const reading = this.#reading
    const { syntax, builder } = reading
    reading.on(['method_invocation'], (node) => {
      builder.call(this.#exprs.callee(node))
      const object = syntax.field(node, 'object')
      reading.visit(object)
      const isOver = object !== 0 && overElements.has(reading.nameOf(node))
      reading.hint = isOver ? elementExpr(this.#exprs.of(object)) : null
      reading.visit(syntax.field(node, 'arguments'))
      reading.hint = null
    })
    reading.on(['object_creation_expression'], (node) => {
      builder.call(this.#exprs.type(syntax.field(node, 'type')))
      reading.visit(syntax.field(node, 'arguments'))
      this.#anonymous(syntax.child(node, 'class_body'))
    })
    reading.on(['explicit_constructor_invocation'], (node) => {
      const { self } = this.#exprs
      const isSuper = syntax.kind(syntax.field(node, 'constructor')) === 'super'
      if (self >= 0) builder.call(isSuper ? ['super', self] : ['d', self])
      reading.visit(syntax.field(node, 'arguments'))
    })
    reading.on(['method_reference'], (node) => {
      const [object = 0, name = 0] = syntax.children(node)
      if (name === 0) builder.call(this.#exprs.of(object))
      else builder.call(memberExpr(this.#exprs.of(object), syntax.textOf(name)))
      reading.visit(object)
    })
  }

  #import(node: number): void {
    const { syntax, builder } = this.#reading
    const path = syntax.textOf(syntax.child(node, 'scoped_identifier', 'identifier')).replace(/\s+/g, '')
    const isStatic = /^import\s+static\b/.test(syntax.textOf(node))
    const form = isStatic ? ({ form: 'static' } as const) : {}
    if (syntax.child(node, 'asterisk') !== 0) {
      builder.imports.push({ from: path, names: [], wildcard: true, ...form })
      return
    }
    const name = path.slice(path.lastIndexOf('.') + 1)
    const from = isStatic ? path.slice(0, Math.max(0, path.lastIndexOf('.'))) : path
    builder.imports.push({ from, names: [[name, name]], ...form })
  }

  #typeParametersOf(node: number): Map<string, Expr> {
    const { syntax } = this.#reading
    return new Map(
      syntax.children(syntax.field(node, 'type_parameters')).map((each) => {
        const bound = syntax.first(syntax.child(each, 'type_bound'))
        return [
          syntax.textOf(syntax.child(each, 'type_identifier', 'identifier')),
          bound === 0 ? null : this.#exprs.type(bound),
        ]
      }),
    )
  }

  #type(node: number): void {
    const { syntax, builder } = this.#reading
    const name = this.#reading.nameOf(node)
    if (builder.isLocal) {
      this.#anonymous(syntax.field(node, 'body'))
      return
    }
    const definition = builder.define(name, types[syntax.kind(node)] ?? 'class', node)
    this.#exprs.typeParameters.push(this.#typeParametersOf(node))
    const lists = [syntax.field(node, 'interfaces'), syntax.child(node, 'extends_interfaces')]
    const bases = [
      ...syntax.children(syntax.field(node, 'superclass')),
      ...lists.flatMap((each) => syntax.children(syntax.child(each, 'type_list'))),
    ]
    builder.addBases(
      definition,
      bases.map((each) => this.#exprs.type(each)),
    )
    for (const each of syntax.children(syntax.field(node, 'parameters'))) {
      builder.addField(
        definition,
        this.#reading.nameOf(each),
        this.#exprs.valueOf(syntax.field(each, 'type')),
      )
    }
    const outer = this.#exprs.self
    this.#exprs.self = definition
    builder.holding(definition, () => this.#reading.children(syntax.field(node, 'body')))
    this.#exprs.self = outer
    this.#exprs.typeParameters.pop()
  }

  /** Code of a class without a name belongs to what is around. */
  #anonymous(body: number): void {
    if (body === 0) return
    const outer = this.#exprs.self
    this.#exprs.self = -1
    this.#reading.builder.scoped(() => this.#reading.children(body))
    this.#exprs.self = outer
  }

  #method(node: number, kind: 'method' | 'constructor'): void {
    const { syntax, builder } = this.#reading
    const isLocal = builder.isLocal
    const definition = isLocal ? -1 : builder.define(this.#reading.nameOf(node), 'method', node)
    this.#exprs.typeParameters.push(this.#typeParametersOf(node))
    const type = kind === 'method' ? syntax.field(node, 'type') : 0
    const read = () => {
      this.#parameters(syntax.field(node, 'parameters'))
      this.#reading.children(syntax.field(node, 'body'))
    }
    this.#reading.body(definition, read, this.#exprs.valueOf(type) ?? undefined)
    this.#exprs.typeParameters.pop()
  }

  #parameters(parameters: number): void {
    const { syntax, builder } = this.#reading
    for (const each of syntax.children(parameters)) {
      const name = this.#reading.nameOf(each)
      if (syntax.kind(each) === 'spread_parameter') {
        builder.bind(this.#reading.nameOf(syntax.child(each, 'variable_declarator')), null)
      } else if (syntax.kind(each) === 'identifier') builder.bind(syntax.textOf(each), this.#reading.hint)
      else builder.bind(name, this.#exprs.valueOf(syntax.field(each, 'type')))
    }
  }

  #lambda(node: number): void {
    const { syntax, builder } = this.#reading
    const parameters = syntax.field(node, 'parameters')
    builder.scoped(() => {
      if (syntax.kind(parameters) === 'identifier')
        builder.bind(syntax.textOf(parameters), this.#reading.hint)
      else this.#parameters(parameters)
      this.#reading.hint = null
      this.#reading.visit(syntax.field(node, 'body'))
    })
  }

  #fields(node: number): void {
    const { syntax, builder } = this.#reading
    const declared = this.#exprs.valueOf(syntax.field(node, 'type'))
    for (const each of syntax.fields(node, 'declarator')) {
      const value = syntax.field(each, 'value')
      if (!builder.isLocal) builder.addField(builder.holder, this.#reading.nameOf(each), declared)
      else builder.bind(this.#reading.nameOf(each), declared)
      this.#reading.visit(value)
    }
  }
}
