import { memberExpr } from './exprs.rules.ts'
import type { Expr, FileFacts } from './facts.rules.ts'
import type { FactsBuilder } from './facts-builder.ts'
import type { ScriptExprs } from './script-exprs.ts'
import { ScriptFunctions } from './script-functions.ts'
import type { ScriptImports } from './script-imports.ts'
import { functionKinds, ScriptReading } from './script-reading.ts'
import { ScriptTypes } from './script-types.ts'
import { root, type Syntax } from './syntax.ts'

const wrappers = new Set(['as_expression', 'satisfies_expression', 'parenthesized_expression'])

/** Facts of a TypeScript or JavaScript file. */
export function readScript(syntax: Syntax): FileFacts {
  const reading = new ScriptReading(syntax)
  const functions = new ScriptFunctions(reading)
  const types = new ScriptTypes(reading, functions)
  const declarations = new ScriptDeclarations(reading, functions, types)
  assignReaders(reading, functions, types, declarations)
  reading.children(root)
  if (syntax.hasError) reading.imports.readTorn()
  return reading.builder.facts()
}

function assignReaders(
  reading: ScriptReading,
  functions: ScriptFunctions,
  types: ScriptTypes,
  declarations: ScriptDeclarations,
): void {
  const { syntax, builder, exprs } = reading
  reading.on(['import_statement'], (node) => reading.imports.readImport(node))
  reading.on(['export_statement'], (node) => declarations.export(node))
  reading.on(['function_declaration', 'generator_function_declaration', 'function_signature'], (node) =>
    declarations.declareFunction(node),
  )
  reading.on(['class_declaration', 'abstract_class_declaration', 'class'], (node) =>
    types.class(node, reading.nameOf(node)),
  )
  reading.on(['interface_declaration'], (node) =>
    types.interface(node, 'interface', syntax.field(node, 'body')),
  )
  reading.on(['type_alias_declaration'], (node) => types.interface(node, 'type', syntax.field(node, 'value')))
  reading.on(['enum_declaration'], (node) => {
    const isLocal = builder.isLocal
    const own = isLocal
      ? builder.owner
      : reading.named(node, builder.define(reading.nameOf(node), 'type', node))
    builder.inside(own, () => reading.children(node))
  })
  reading.on(['internal_module', 'module'], (node) => types.namespace(node))
  reading.on(['variable_declarator'], (node) => declarations.declare(node))
  reading.on(['arrow_function', 'function_expression', 'generator_function', 'method_definition'], (node) =>
    functions.read(node, -1, syntax.kind(node) === 'arrow_function'),
  )
  reading.on(['statement_block', 'class_static_block'], (node) => {
    if (builder.isLocal) builder.scoped(() => functions.hoisted(node))
    else reading.children(node)
  })
  reading.on(['for_in_statement'], (node) => functions.loop(node))
  reading.on(['for_statement'], (node) => functions.scopedIfLocal(() => reading.children(node)))
  reading.on(['catch_clause'], (node) =>
    functions.scopedIfLocal(() => {
      functions.bind(syntax.field(node, 'parameter'), null)
      reading.children(node)
    }),
  )
  reading.on(['return_statement'], (node) => {
    reading.returns.push(exprs.of(syntax.first(node)))
    reading.children(node)
  })
  reading.on(['assignment_expression'], (node) => declarations.assign(node))
  reading.on(['call_expression'], (node) => functions.call(node))
  reading.on(['new_expression'], (node) => {
    builder.call(constructed(exprs.of(syntax.field(node, 'constructor'))))
    reading.children(node)
  })
  reading.on(['decorator'], (node) => {
    if (syntax.kind(syntax.first(node)) !== 'call_expression') builder.call(exprs.of(syntax.first(node)))
    reading.children(node)
  })
  reading.on(['jsx_opening_element', 'jsx_self_closing_element'], (node) => functions.element(node))
}

/** `new this()` and `new Store()` call a class. */
const constructed = (value: Expr): Expr => (value?.[0] === 'self' ? ['d', value[1]] : value)

/** Functions and constants of a file, and what it offers to others. */
class ScriptDeclarations {
  readonly #reading: ScriptReading
  readonly #syntax: Syntax
  readonly #builder: FactsBuilder
  readonly #exprs: ScriptExprs
  readonly #imports: ScriptImports
  readonly #functions: ScriptFunctions
  readonly #types: ScriptTypes

  constructor(reading: ScriptReading, functions: ScriptFunctions, types: ScriptTypes) {
    this.#reading = reading
    this.#syntax = reading.syntax
    this.#builder = reading.builder
    this.#exprs = reading.exprs
    this.#imports = reading.imports
    this.#functions = functions
    this.#types = types
  }

  export(node: number): void {
    if (this.#imports.readReexport(node)) return
    const syntax = this.#syntax
    const isDefault = /^export\s+default\b/.test(syntax.textOf(node).slice(0, 40))
    const declaration = syntax.field(node, 'declaration')
    const value = syntax.field(node, 'value')
    if (declaration !== 0) {
      this.#reading.exporting(isDefault, () => this.#reading.visit(declaration))
      // Decorators before `export` belong to the class behind it.
      const owner = this.#builder.find(this.#reading.nameOf(declaration))
      for (const each of syntax.children(node)) {
        if (syntax.kind(each) === 'decorator') this.#builder.inside(owner, () => this.#reading.visit(each))
      }
    } else if (value !== 0) {
      this.#exportDefault(value)
    } else {
      this.#imports.readExportClause(node)
      this.#reading.children(node)
    }
  }

  #exportDefault(value: number): void {
    const kind = this.#syntax.kind(value)
    if (functionKinds.has(kind)) {
      const name = this.#reading.nameOf(value) || 'default'
      const definition = this.#builder.define(name, 'function', value)
      this.#builder.exports.default = ['d', definition]
      this.#functions.read(value, definition, kind === 'arrow_function')
    } else if (kind === 'class') {
      this.#reading.exporting(true, () => this.#types.class(value, this.#reading.nameOf(value) || 'default'))
    } else if (kind === 'identifier' || kind === 'member_expression') {
      this.#builder.exports.default = this.#exprs.of(value)
    } else {
      const definition = this.#builder.define('default', 'constant', value)
      this.#builder.exports.default = ['d', definition]
      this.#constant(definition, value)
    }
  }

  declareFunction(node: number): void {
    const name = this.#reading.nameOf(node)
    if (this.#builder.isLocal || name === '') {
      this.#functions.read(node, -1, false)
      return
    }
    const definition = this.#reading.named(node, this.#builder.define(name, 'function', node))
    this.#functions.read(node, definition, false)
  }

  declare(node: number): void {
    const syntax = this.#syntax
    const pattern = syntax.field(node, 'name')
    const value = syntax.field(node, 'value')
    const declared = this.#exprs.valueOf(syntax.field(node, 'type'))
    if (this.#builder.isLocal) {
      if (value !== 0) this.#reading.visit(value)
      this.#functions.bind(pattern, declared ?? (value === 0 ? null : this.#exprs.of(value)))
      return
    }
    if (this.#imports.readRequire(pattern, value)) return
    if (syntax.kind(pattern) === 'identifier') {
      const name = syntax.textOf(pattern)
      if (syntax.kind(value) === 'class') {
        this.#types.class(value, name)
        return
      }
      const isFunction = functionKinds.has(syntax.kind(value))
      const definition = this.#reading.named(
        node,
        this.#builder.define(name, isFunction ? 'function' : 'constant', node),
        name,
      )
      if (isFunction) {
        this.#functions.read(value, definition, syntax.kind(value) === 'arrow_function')
        return
      }
      this.#builder.setValue(definition, declared)
      this.#constant(definition, value)
      return
    }
    const whole = value === 0 ? null : this.#exprs.of(value)
    for (const part of syntax.children(pattern)) this.#declarePart(part, node, whole)
    if (value !== 0) this.#reading.visit(value)
  }

  #declarePart(part: number, node: number, whole: Expr): void {
    const syntax = this.#syntax
    const isPair = syntax.kind(part) === 'pair_pattern'
    const name = isPair ? syntax.field(part, 'value') : part
    if (!/identifier/.test(syntax.kind(name))) return
    const key = isPair ? syntax.textOf(syntax.field(part, 'key')) : syntax.textOf(part)
    const definition = this.#reading.named(
      node,
      this.#builder.define(syntax.textOf(name), 'constant', node),
      syntax.textOf(name),
    )
    this.#builder.setValue(definition, memberExpr(whole, key))
  }

  #constant(definition: number, value: number): void {
    if (value === 0) return
    const syntax = this.#syntax
    let inner = value
    while (wrappers.has(syntax.kind(inner))) inner = syntax.first(inner)
    if (syntax.kind(inner) === 'object') {
      this.#types.members(definition, inner)
      return
    }
    this.#builder.setValue(definition, this.#exprs.of(value))
    this.#builder.inside(definition, () => this.#reading.visit(value))
  }

  assign(node: number): void {
    const syntax = this.#syntax
    const left = syntax.field(node, 'left')
    const right = syntax.field(node, 'right')
    const isMember = syntax.kind(left) === 'member_expression'
    const object = isMember ? syntax.field(left, 'object') : 0
    if (isMember && syntax.kind(object) === 'this' && this.#exprs.self?.[0] === 'self') {
      this.#builder.addField(
        this.#exprs.self[1],
        syntax.textOf(syntax.field(left, 'property')),
        this.#exprs.of(right),
      )
    }
    if (syntax.kind(left) === 'identifier') this.#builder.assign(syntax.textOf(left), this.#exprs.of(right))
    const offered = this.#builder.isLocal ? undefined : this.#imports.commonName(left)
    if (offered !== undefined) {
      this.#offer(offered, right, node)
      this.#addToWhole(offered)
      return
    }
    const method =
      this.#builder.isLocal || !functionKinds.has(syntax.kind(right)) ? -1 : this.#added(left, node)
    if (method >= 0) {
      this.#functions.read(right, method, false)
      return
    }
    this.#reading.visit(left)
    this.#reading.visit(right)
  }

  /** `Store.prototype.find = function …` and `Store.find = function …` add a member to a definition. */
  #added(left: number, node: number): number {
    const match = /^(\w+)(\.prototype)?\.(\w+)$/.exec(this.#syntax.textOf(left))
    const holder = match ? this.#builder.find(match[1] ?? '') : -1
    if (!match || holder < 0) return -1
    this.#exprs.self = match[2] ? ['self', holder] : ['d', holder]
    return this.#builder.define(match[3] ?? '', 'method', node, holder)
  }

  /** `module.exports = …` ('=') and `exports.name = …`. */
  #offer(name: string, value: number, node: number): void {
    const syntax = this.#syntax
    const { exports } = this.#builder
    const kind = syntax.kind(value)
    if (name === '=' && kind === 'object') {
      for (const part of syntax.children(value)) this.#offerPart(part)
    } else if (functionKinds.has(kind)) {
      const own = this.#reading.nameOf(value)
      const definition = this.#builder.define(own || (name === '=' ? 'default' : name), 'function', node)
      exports[name] = ['d', definition]
      this.#functions.read(value, definition, false)
    } else if (kind === 'class') {
      const own = this.#reading.nameOf(value) || (name === '=' ? 'default' : name)
      this.#types.class(value, own)
      exports[name] = ['d', this.#builder.find(own)]
    } else if (name !== '=' && kind !== 'assignment_expression' && !/identifier$|^member_/.test(kind)) {
      const definition = this.#builder.define(name, 'constant', node)
      exports[name] = ['d', definition]
      this.#constant(definition, value)
    } else {
      if (kind === 'assignment_expression') exports[name] = this.#exprs.of(syntax.field(value, 'right'))
      else exports[name] = this.#exprs.of(value) ?? exports[name] ?? null
      this.#reading.visit(value)
    }
  }

  /** `module.exports.Index = …` after `module.exports = Store` adds to the class. */
  #addToWhole(name: string): void {
    const whole = this.#builder.exports['=']
    const holder = whole?.[0] === 'n' ? this.#builder.find(whole[1]) : whole?.[0] === 'd' ? whole[1] : -1
    if (name !== '=' && holder >= 0) this.#builder.addField(holder, name, this.#builder.exports[name] ?? null)
  }

  #offerPart(part: number): void {
    const syntax = this.#syntax
    const kind = syntax.kind(part)
    if (kind === 'shorthand_property_identifier') {
      this.#builder.exports[syntax.textOf(part)] = this.#exprs.of(part)
    } else if (kind === 'pair')
      this.#offer(syntax.textOf(syntax.field(part, 'key')), syntax.field(part, 'value'), part)
    else if (kind === 'method_definition') this.#offer(this.#reading.nameOf(part), part, part)
    else if (kind === 'spread_element') this.#imports.offerAll(syntax.first(part))
    else this.#reading.visit(part)
  }
}
