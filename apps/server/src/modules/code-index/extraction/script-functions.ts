import { elementExpr, memberExpr } from './exprs.rules.ts'
import type { Expr } from './facts.rules.ts'
import type { FactsBuilder } from './facts-builder.ts'
import type { ScriptExprs } from './script-exprs.ts'
import type { ScriptReading } from './script-reading.ts'
import type { Syntax } from './syntax.ts'

const overElements = new Set(['map', 'forEach', 'filter', 'find', 'some', 'every', 'flatMap', 'findLast'])

/** Functions, what they bind, and calls. */
export class ScriptFunctions {
  readonly #reading: ScriptReading
  readonly #syntax: Syntax
  readonly #builder: FactsBuilder
  readonly #exprs: ScriptExprs

  constructor(reading: ScriptReading) {
    this.#reading = reading
    this.#syntax = reading.syntax
    this.#builder = reading.builder
    this.#exprs = reading.exprs
  }

  /** Reads parameters and body; calls belong to `definition`, or to what is around where it has none. */
  read(node: number, definition: number, keepsSelf: boolean): void {
    const syntax = this.#syntax
    const hint = this.#reading.hint
    this.#reading.hint = null
    const outer = { self: this.#exprs.self, returns: this.#reading.returns, mode: this.#reading.exportMode }
    this.#reading.exportMode = 'none'
    this.#reading.returns = []
    if (!keepsSelf && definition < 0) this.#exprs.self = null
    const read = () =>
      this.#builder.scoped(() => {
        this.#exprs.typeParameters.push(this.typeParameters(node))
        const single = syntax.field(node, 'parameter')
        if (single !== 0) this.#builder.bind(syntax.textOf(single), hint)
        this.#readParameters(syntax.field(node, 'parameters'), hint)
        const result = this.#exprs.valueOf(syntax.field(node, 'return_type'))
        const body = syntax.field(node, 'body')
        if (syntax.kind(body) === 'statement_block') this.hoisted(body)
        else if (body !== 0) {
          this.#reading.returns.push(this.#exprs.of(body))
          this.#reading.visit(body)
        }
        if (definition >= 0) {
          const declared = syntax.field(node, 'return_type') !== 0
          this.#builder.setResult(
            definition,
            declared ? result : (this.#reading.returns.find((each) => each !== null) ?? null),
          )
        }
        this.#exprs.typeParameters.pop()
      })
    if (definition >= 0) this.#builder.inside(definition, read)
    else read()
    this.#exprs.self = outer.self
    this.#reading.returns = outer.returns
    this.#reading.exportMode = outer.mode
  }

  /** Type parameters with what they extend. */
  typeParameters(node: number): Map<string, Expr> {
    const syntax = this.#syntax
    const parameters = syntax.children(syntax.field(node, 'type_parameters'))
    return new Map(
      parameters.map((each) => [
        this.#reading.nameOf(each),
        this.#exprs.type(syntax.first(syntax.field(each, 'constraint'))),
      ]),
    )
  }

  #readParameters(parameters: number, hint: Expr): void {
    const syntax = this.#syntax
    syntax.children(parameters).forEach((parameter, at) => {
      const isTyped = ['required_parameter', 'optional_parameter'].includes(syntax.kind(parameter))
      const pattern = isTyped ? syntax.field(parameter, 'pattern') : parameter
      const type = isTyped ? syntax.field(parameter, 'type') : 0
      const given = isTyped ? syntax.field(parameter, 'value') : syntax.field(parameter, 'right')
      const value =
        this.#exprs.valueOf(type) ?? (at === 0 ? hint : null) ?? (given === 0 ? null : this.#exprs.of(given))
      this.bind(pattern, value)
      const isField = /^(?:@[^)]*\)\s*)?(?:public|private|protected|readonly|override)\b/.test(
        syntax.textOf(parameter),
      )
      if (isTyped && isField) this.#builder.addField(this.#builder.holder, syntax.textOf(pattern), value)
      for (const decorator of syntax.children(parameter)) {
        if (syntax.kind(decorator) === 'decorator') this.#reading.visit(decorator)
      }
      if (given !== 0) this.#reading.visit(given)
    })
  }

  /** Declares what stands directly in a block before any of it is read. */
  hoisted(block: number): void {
    for (const statement of this.#syntax.children(block)) {
      const kind = this.#syntax.kind(statement)
      if (kind === 'lexical_declaration' || kind === 'variable_declaration') {
        for (const each of this.#syntax.children(statement)) this.bind(this.#syntax.field(each, 'name'), null)
      } else if (/(?:function|class)_declaration$/.test(kind))
        this.#builder.bind(this.#reading.nameOf(statement), null)
    }
    this.#reading.children(block)
  }

  bind(pattern: number, value: Expr): void {
    const syntax = this.#syntax
    switch (syntax.kind(pattern)) {
      case 'identifier':
      case 'shorthand_property_identifier_pattern':
        this.#builder.bind(syntax.textOf(pattern), value)
        return
      case 'object_pattern':
        for (const part of syntax.children(pattern)) this.#bindPart(part, value)
        return
      case 'array_pattern':
        for (const part of syntax.children(pattern)) this.bind(part, elementExpr(value))
        return
      case 'assignment_pattern':
        this.bind(syntax.field(pattern, 'left'), value)
        return
      case 'rest_pattern':
        this.bind(syntax.first(pattern), null)
        return
    }
  }

  #bindPart(part: number, value: Expr): void {
    const syntax = this.#syntax
    const kind = syntax.kind(part)
    if (kind === 'shorthand_property_identifier_pattern')
      this.bind(part, memberExpr(value, syntax.textOf(part)))
    else if (kind === 'object_assignment_pattern') {
      this.#bindPart(syntax.field(part, 'left'), value)
      this.#reading.visit(syntax.field(part, 'right'))
    } else if (kind === 'pair_pattern') {
      this.bind(syntax.field(part, 'value'), memberExpr(value, syntax.textOf(syntax.field(part, 'key'))))
    } else this.bind(part, null)
  }

  loop(node: number): void {
    const syntax = this.#syntax
    const left = syntax.field(node, 'left')
    const right = syntax.field(node, 'right')
    const isOf = /\bof\b/.test(syntax.text.slice(syntax.end(left), syntax.start(right)))
    this.#reading.visit(right)
    this.scopedIfLocal(() => {
      this.bind(left, isOf ? elementExpr(this.#exprs.of(right)) : null)
      this.#reading.visit(syntax.field(node, 'body'))
    })
  }

  scopedIfLocal(read: () => void): void {
    if (this.#builder.isLocal) this.#builder.scoped(read)
    else read()
  }

  call(node: number): void {
    const callee = this.#syntax.field(node, 'function')
    const source = this.#exprs.moduleCalled(node)
    if (source !== undefined) this.#reading.imports.addCalled(source)
    else if (this.#syntax.kind(callee) !== 'import') this.#builder.call(this.#exprs.of(callee))
    this.#reading.visit(callee)
    const isOver =
      this.#syntax.kind(callee) === 'member_expression' &&
      overElements.has(this.#syntax.textOf(this.#syntax.field(callee, 'property')))
    this.#reading.hint = isOver ? elementExpr(this.#exprs.of(this.#syntax.field(callee, 'object'))) : null
    this.#reading.visit(this.#syntax.field(node, 'arguments'))
    this.#reading.hint = null
  }

  element(node: number): void {
    const name = this.#syntax.field(node, 'name')
    const isComponent =
      this.#syntax.kind(name) === 'member_expression' || /^[A-Z_$]/.test(this.#syntax.textOf(name))
    if (isComponent) this.#builder.call(this.#exprs.of(name))
    this.#reading.children(node)
  }
}
