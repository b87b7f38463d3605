import { awaitExpr, elementExpr, instanceExpr, memberExpr, nameExpr } from './exprs.rules.ts'
import type { Expr, FileFacts } from './facts.rules.ts'
import { RustExprs } from './rust-exprs.ts'
import { readUse } from './rust-imports.ts'
import { root, type Syntax } from './syntax.ts'
import { SyntaxReading } from './syntax-reading.ts'

/** Facts of a Rust file. */
export function readRust(syntax: Syntax): FileFacts {
  return new RustReader(syntax).read()
}

const types: Readonly<Record<string, 'class' | 'interface'>> = {
  struct_item: 'class',
  union_item: 'class',
  enum_item: 'class',
  trait_item: 'interface',
}

class RustReader {
  readonly #reading: SyntaxReading
  readonly #exprs: RustExprs

  constructor(syntax: Syntax) {
    this.#reading = new SyntaxReading(syntax)
    this.#exprs = new RustExprs(this.#reading.builder)
  }

  read(): FileFacts {
    const reading = this.#reading
    const { syntax, builder } = reading
    reading.on(['use_declaration'], (node) => readUse(builder, node))
    reading.on(['extern_crate_declaration'], (node) => {
      const name = reading.nameOf(node)
      const alias = syntax.field(node, 'alias')
      builder.imports.push({
        from: '',
        names: [[name, alias === 0 ? name : syntax.textOf(alias)]],
        form: 'use',
        scope: builder.holder,
      })
    })
    reading.on(['mod_item'], (node) => this.#module(node))
    reading.on(Object.keys(types), (node) => this.#type(node))
    reading.on(['impl_item'], (node) => this.#impl(node))
    reading.on(['function_item', 'function_signature_item'], (node) => {
      const isLocal = builder.isLocal
      if (isLocal) builder.bind(reading.nameOf(node), null)
      this.#function(node, isLocal ? -1 : builder.define(reading.nameOf(node), 'function', node), null)
    })
    reading.on(['const_item', 'static_item'], (node) => this.#constant(node))
    reading.on(['type_item'], (node) => {
      if (builder.isLocal) return
      const definition = builder.define(reading.nameOf(node), 'type', node)
      builder.setValue(definition, this.#exprs.type(syntax.field(node, 'type')))
    })
    reading.on(['macro_definition'], (node) => {
      if (!builder.isLocal) builder.define(reading.nameOf(node), 'macro', node, -1)
    })
    this.#onExpressions()
    reading.children(root)
    return builder.facts()
  }

  #onExpressions(): void {
    const reading = this.#reading
    const { syntax, builder } = reading
    reading.on(['block', 'if_expression', 'while_expression', 'match_arm'], (node) => {
      if (builder.isLocal) builder.scoped(() => reading.children(node))
      else reading.children(node)
    })
    reading.on(['let_declaration', 'let_condition'], (node) => {
      const value = syntax.field(node, 'value')
      reading.visit(value)
      reading.visit(syntax.field(node, 'alternative'))
      const declared = this.#exprs.valueOf(syntax.field(node, 'type'))
      this.#bind(syntax.field(node, 'pattern'), declared ?? this.#exprs.of(value))
    })
    reading.on(['for_expression'], (node) => {
      const value = syntax.field(node, 'value')
      reading.visit(value)
      builder.scoped(() => {
        this.#bind(syntax.field(node, 'pattern'), elementExpr(this.#exprs.of(value)))
        reading.visit(syntax.field(node, 'body'))
      })
    })
    reading.on(['match_expression'], (node) => {
      const value = syntax.field(node, 'value')
      reading.visit(value)
      for (const arm of syntax.children(syntax.field(node, 'body'))) {
        builder.scoped(() => {
          this.#bind(syntax.first(syntax.field(arm, 'pattern')), this.#exprs.of(value))
          reading.children(arm)
        })
      }
    })
    reading.on(['closure_expression'], (node) =>
      builder.scoped(() => {
        for (const each of syntax.children(syntax.field(node, 'parameters'))) this.#parameter(each)
        reading.visit(syntax.field(node, 'body'))
      }),
    )
    reading.on(['call_expression'], (node) => {
      builder.call(this.#exprs.of(syntax.field(node, 'function')))
      reading.children(node)
    })
    reading.on(['macro_invocation'], (node) => {
      const name = syntax.field(node, 'macro')
      builder.call(
        syntax.kind(name) === 'identifier' ? nameExpr(`${syntax.textOf(name)}!`) : this.#exprs.path(name),
      )
      this.#tokens(syntax.child(node, 'token_tree'))
    })
    reading.on(['match_pattern', 'token_tree_pattern', 'attribute_item'], () => {})
  }

  /** Arguments of macros are no syntax, but most are written as expressions: `f(…)`, `a::f(…)` and `self.f(…)`. */
  #tokens(tree: number): void {
    const { syntax, builder } = this.#reading
    const text = syntax.textOf(tree).replace(/"(?:\\.|[^"\\])*"/g, '""')
    for (const [, before = '', path = ''] of text.matchAll(
      /([.:]?)\s*\b((?:[A-Za-z_]\w*\s*(?:::|\.)\s*)*[A-Za-z_]\w*)\s*\(/g,
    )) {
      if (before !== '' || /^(?:if|match|while|for|return|Some|Ok|Err|None)$/.test(path)) continue
      const [first = '', ...rest] = path.split(/(::|\.)/).map((part) => part.trim())
      const isPath = rest[0] === '::'
      const head =
        isPath && ['self', 'super', 'crate'].includes(first) ? nameExpr(first) : builder.lookup(first)
      const names = rest.filter((part) => part !== '::' && part !== '.')
      builder.call(names.reduce<Expr>((of, name) => memberExpr(of, name), head))
    }
  }

  #module(node: number): void {
    const { syntax, builder } = this.#reading
    const name = this.#reading.nameOf(node)
    const body = syntax.field(node, 'body')
    if (builder.isLocal) return
    if (body !== 0) {
      const definition = builder.define(name, 'module', node)
      builder.holding(definition, () => this.#reading.children(body))
      return
    }
    const path = /#\[path\s*=\s*"([^"]+)"\]\s*(?:#\[[^\]]*\]\s*)*$/.exec(
      syntax.text.slice(Math.max(0, syntax.start(node) - 200), syntax.start(node)),
    )?.[1]
    builder.imports.push({ from: name, names: [[path ?? '', name]], form: 'mod', scope: builder.holder })
  }

  #type(node: number): void {
    const { syntax, builder } = this.#reading
    if (builder.isLocal) return
    const definition = builder.define(this.#reading.nameOf(node), types[syntax.kind(node)] ?? 'class', node)
    const body = syntax.field(node, 'body')
    for (const part of syntax.children(body)) {
      const name = this.#reading.nameOf(part)
      if (syntax.kind(part) === 'field_declaration') {
        builder.addField(definition, name, this.#exprs.valueOf(syntax.field(part, 'type')))
      } else if (syntax.kind(part) === 'enum_variant')
        builder.addField(definition, name, ['self', definition])
    }
    if (syntax.kind(body) === 'ordered_field_declaration_list') {
      syntax.fields(body, 'type').forEach((type, at) => {
        builder.addField(definition, String(at), this.#exprs.valueOf(type))
      })
    }
    if (syntax.kind(node) !== 'trait_item') return
    const bounds = syntax.children(syntax.field(node, 'bounds'))
    builder.addBases(
      definition,
      bounds.map((each) => this.#exprs.type(each)),
    )
    const self: Expr = ['d', definition]
    builder.holding(definition, () => this.#methods(body, definition, self, self))
  }

  #impl(node: number): void {
    const { syntax, builder } = this.#reading
    if (builder.isLocal) return
    let named = syntax.field(node, 'type')
    while (['generic_type', 'reference_type'].includes(syntax.kind(named)))
      named = syntax.field(named, 'type')
    const name = /\w+$/.exec(syntax.textOf(named))?.[0]
    const type = this.#exprs.type(named)
    if (name === undefined) return
    const holder = builder.get(builder.holder)
    const known = builder.find(holder ? `${holder.name}.${name}` : name)
    const isOwn = known >= 0 && syntax.kind(named) === 'type_identifier'
    const trait = syntax.field(node, 'trait')
    if (isOwn && trait !== 0) builder.addBases(known, [this.#exprs.type(trait)])
    this.#methods(syntax.field(node, 'body'), isOwn ? known : -1, isOwn ? ['d', known] : type, type, name)
  }

  #methods(body: number, holder: number, self: Expr, type: Expr, outside = ''): void {
    const { syntax, builder } = this.#reading
    for (const part of syntax.children(body)) {
      const kind = syntax.kind(part)
      if (kind === 'function_item' || kind === 'function_signature_item') {
        const name = this.#reading.nameOf(part)
        const definition =
          holder >= 0
            ? builder.define(name, 'method', part, holder)
            : builder.define(`${outside}.${name}`, 'method', part, builder.holder, name)
        if (holder < 0) builder.setOf(definition, type)
        this.#function(part, definition, self)
      } else if (kind === 'const_item') {
        builder.inside(holder >= 0 ? holder : builder.owner, () =>
          this.#reading.visit(syntax.field(part, 'value')),
        )
      }
    }
  }

  #function(node: number, definition: number, self: Expr): void {
    const { syntax, builder } = this.#reading
    const read = () => {
      if (self !== null) {
        builder.bind('Self', self)
        builder.bind('self', self[0] === 'd' ? ['self', self[1]] : instanceExpr(self))
      }
      for (const each of syntax.children(syntax.field(node, 'type_parameters'))) {
        const bound = syntax.first(syntax.field(each, 'bounds'))
        builder.bind(this.#reading.nameOf(each), bound === 0 ? null : this.#exprs.type(bound))
      }
      builder.setResult(definition, this.#exprs.valueOf(syntax.field(node, 'return_type')))
      for (const each of syntax.children(syntax.field(node, 'parameters'))) this.#parameter(each)
      this.#reading.visit(syntax.field(node, 'body'))
    }
    this.#reading.body(definition, read)
  }

  #parameter(parameter: number): void {
    const { syntax } = this.#reading
    const pattern = syntax.field(parameter, 'pattern')
    if (pattern === 0) this.#bind(parameter, null)
    else this.#bind(pattern, this.#exprs.valueOf(syntax.field(parameter, 'type')))
  }

  #constant(node: number): void {
    const { syntax, builder } = this.#reading
    const value = syntax.field(node, 'value')
    if (builder.isLocal) {
      this.#reading.visit(value)
      builder.bind(this.#reading.nameOf(node), this.#exprs.valueOf(syntax.field(node, 'type')))
      return
    }
    const definition = builder.define(this.#reading.nameOf(node), 'constant', node)
    builder.setValue(definition, this.#exprs.valueOf(syntax.field(node, 'type')))
    builder.inside(definition, () => this.#reading.visit(value))
  }

  #bind(pattern: number, value: Expr): void {
    const { syntax, builder } = this.#reading
    switch (syntax.kind(pattern)) {
      case 'identifier':
      case 'shorthand_field_identifier':
        if (/^[a-z_]/.test(syntax.textOf(pattern))) builder.bind(syntax.textOf(pattern), value)
        break
      case 'mut_pattern':
      case 'ref_pattern':
      case 'reference_pattern':
      case 'captured_pattern':
        for (const each of syntax.children(pattern))
          if (syntax.kind(each) !== 'mutable_specifier') this.#bind(each, value)
        break
      case 'tuple_struct_pattern': {
        const isWrapping = /^(?:Some|Ok)$/.test(syntax.textOf(syntax.field(pattern, 'type')))
        const [, ...parts] = syntax.children(pattern)
        for (const each of parts) this.#bind(each, isWrapping ? awaitExpr(value) : null)
        break
      }
      case 'struct_pattern':
        for (const each of syntax.children(pattern)) {
          if (syntax.kind(each) !== 'field_pattern') continue
          const name = syntax.field(each, 'name')
          this.#bind(syntax.field(each, 'pattern') || name, memberExpr(value, syntax.textOf(name)))
        }
        break
      case 'tuple_pattern':
      case 'slice_pattern':
      case 'or_pattern':
        for (const each of syntax.children(pattern)) this.#bind(each, null)
    }
  }
}
