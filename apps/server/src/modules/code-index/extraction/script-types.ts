import { genericExpr } from './exprs.rules.ts'
import type { Expr } from './facts.rules.ts'
import type { FactsBuilder } from './facts-builder.ts'
import type { ScriptExprs } from './script-exprs.ts'
import type { ScriptFunctions } from './script-functions.ts'
import { functionKinds, type ScriptReading } from './script-reading.ts'
import type { Syntax } from './syntax.ts'

/** Classes, interfaces, namespaces and object literals, with their members. */
export class ScriptTypes {
  readonly #reading: ScriptReading
  readonly #syntax: Syntax
  readonly #builder: FactsBuilder
  readonly #exprs: ScriptExprs
  readonly #functions: ScriptFunctions

  constructor(reading: ScriptReading, functions: ScriptFunctions) {
    this.#reading = reading
    this.#syntax = reading.syntax
    this.#builder = reading.builder
    this.#exprs = reading.exprs
    this.#functions = functions
  }

  namespace(node: number): void {
    const name = this.#syntax.field(node, 'name')
    // What stands in `declare module 'x'` describes a package and is no definition of this file.
    if (this.#syntax.kind(name) === 'string' || this.#builder.isLocal) return
    const mode = this.#reading.exportMode
    const definition = this.#reading.named(
      node,
      this.#builder.define(this.#syntax.textOf(name), 'module', node),
    )
    this.#reading.exportMode = 'none'
    this.#builder.holding(definition, () => this.#reading.children(this.#syntax.field(node, 'body')))
    this.#reading.exportMode = mode
  }

  interface(node: number, kind: 'interface' | 'type', body: number): void {
    const syntax = this.#syntax
    if (this.#builder.isLocal) return
    const definition = this.#reading.named(node, this.#builder.define(this.#reading.nameOf(node), kind, node))
    this.#exprs.typeParameters.push(this.#functions.typeParameters(node))
    const bases = syntax
      .children(syntax.child(node, 'extends_type_clause'))
      .map((each) => this.#exprs.type(each))
    this.#builder.addBases(definition, bases)
    if (syntax.kind(body) === 'interface_body' || syntax.kind(body) === 'object_type') {
      this.#builder.holding(definition, () => {
        for (const member of syntax.children(body)) this.#member(member, definition)
      })
    } else if (kind === 'type') this.#builder.setValue(definition, this.#exprs.type(body))
    this.#exprs.typeParameters.pop()
  }

  class(node: number, name: string): void {
    const syntax = this.#syntax
    const outer = { self: this.#exprs.self, superOf: this.#exprs.superOf, mode: this.#reading.exportMode }
    const isKnown = !this.#builder.isLocal && name !== ''
    const definition = isKnown
      ? this.#reading.named(node, this.#builder.define(name, 'class', node), name)
      : -1
    this.#reading.exportMode = 'none'
    this.#exprs.typeParameters.push(this.#functions.typeParameters(node))
    const heritage = syntax.child(node, 'class_heritage')
    const read = () => {
      this.#builder.addBases(definition, this.#bases(heritage))
      this.#reading.children(heritage)
      for (const each of syntax.children(node))
        if (syntax.kind(each) === 'decorator') this.#reading.visit(each)
      let decorators: number[] = []
      for (const member of syntax.children(syntax.field(node, 'body'))) {
        if (syntax.kind(member) === 'decorator') {
          decorators.push(member)
          continue
        }
        const isStatic = /\bstatic\b/.test(
          syntax.text.slice(syntax.start(member), syntax.start(this.#key(member))),
        )
        this.#exprs.self = definition < 0 ? null : isStatic ? ['d', definition] : ['self', definition]
        this.#exprs.superOf = definition
        const made = this.#member(member, definition)
        this.#builder.inside(made >= 0 ? made : this.#builder.owner, () => {
          for (const each of decorators) this.#reading.visit(each)
        })
        decorators = []
      }
    }
    if (definition >= 0) this.#builder.holding(definition, read)
    else read()
    this.#exprs.typeParameters.pop()
    Object.assign(this.#exprs, { self: outer.self, superOf: outer.superOf })
    this.#reading.exportMode = outer.mode
  }

  #key(member: number): number {
    return this.#syntax.field(member, 'name') || this.#syntax.field(member, 'property')
  }

  #bases(heritage: number): Expr[] {
    const syntax = this.#syntax
    return syntax.children(heritage).flatMap((clause) => {
      if (syntax.kind(clause) === 'implements_clause')
        return syntax.children(clause).map((each) => this.#exprs.type(each))
      if (syntax.kind(clause) !== 'extends_clause') return [this.#exprs.of(clause)]
      const base = this.#exprs.of(syntax.field(clause, 'value'))
      const args = syntax
        .children(syntax.field(clause, 'type_arguments'))
        .map((each) => this.#exprs.type(each))
      return [genericExpr(base, args)]
    })
  }

  /** A member of a class or interface; the definition it makes, or -1. */
  #member(member: number, holder: number): number {
    const syntax = this.#syntax
    const key = this.#key(member)
    const name = syntax.textOf(key)
    const isNamed = holder >= 0 && key !== 0 && syntax.kind(key) !== 'computed_property_name'
    if (functionKinds.has(syntax.kind(member))) {
      const definition = isNamed ? this.#builder.define(name, 'method', member) : -1
      // A member whose name is computed is no definition, and `this` is the holder in it all the same.
      this.#functions.read(member, definition, holder >= 0)
      const isGetter = /(?:^|\s)get\s+$/.test(syntax.text.slice(syntax.start(member), syntax.start(key)))
      if (isGetter) this.#builder.setValue(definition, this.#builder.get(definition)?.result ?? null)
      return definition
    }
    const value = syntax.field(member, 'value')
    if (isNamed && functionKinds.has(syntax.kind(value))) {
      const definition = this.#builder.define(name, 'method', member)
      this.#functions.read(value, definition, true)
      return definition
    }
    const declared = this.#exprs.valueOf(syntax.field(member, 'type'))
    if (isNamed)
      this.#builder.addField(holder, name, declared ?? (value === 0 ? null : this.#exprs.of(value)))
    if (value !== 0) this.#reading.visit(value)
    else if (key === 0) this.#reading.children(member)
    return -1
  }

  /** Functions in an object literal are definitions, as those of a class are. */
  members(definition: number, object: number): void {
    const syntax = this.#syntax
    const outer = this.#exprs.self
    this.#builder.holding(definition, () => {
      for (const part of syntax.children(object)) {
        this.#exprs.self = ['d', definition]
        const key = syntax.field(part, syntax.kind(part) === 'pair' ? 'key' : 'name')
        const value = syntax.kind(part) === 'pair' ? syntax.field(part, 'value') : part
        const isPlain = syntax.kind(key) === 'property_identifier'
        if (isPlain && functionKinds.has(syntax.kind(value))) {
          this.#functions.read(value, this.#builder.define(syntax.textOf(key), 'method', part), true)
        } else if (syntax.kind(part) === 'shorthand_property_identifier') {
          this.#builder.addField(definition, syntax.textOf(part), this.#exprs.of(part))
        } else {
          if (isPlain) this.#builder.addField(definition, syntax.textOf(key), this.#exprs.of(value))
          this.#reading.visit(value)
        }
      }
    })
    this.#exprs.self = outer
  }
}
