import { elementExpr } from './exprs.rules.ts'
import type { Expr, FileFacts } from './facts.rules.ts'
import { PythonExprs } from './python-exprs.ts'
import { readPythonImport } from './python-imports.ts'
import { root, type Syntax } from './syntax.ts'
import { SyntaxReading } from './syntax-reading.ts'

/** Facts of a Python module. */
export function readPython(syntax: Syntax): FileFacts {
  return new PythonReader(syntax).read()
}

class PythonReader {
  readonly #reading: SyntaxReading
  readonly #exprs: PythonExprs
  #all: string[] | undefined

  constructor(syntax: Syntax) {
    this.#reading = new SyntaxReading(syntax)
    this.#exprs = new PythonExprs(this.#reading.builder)
  }

  read(): FileFacts {
    const reading = this.#reading
    const { syntax, builder } = reading
    reading.on(['import_statement', 'import_from_statement'], (node) => readPythonImport(builder, node))
    reading.on(['function_definition'], (node) => this.#function(node, []))
    reading.on(['class_definition'], (node) => this.#class(node, []))
    reading.on(['decorated_definition'], (node) => this.#decorated(node))
    reading.on(['assignment'], (node) => this.#assign(node))
    reading.on(['call'], (node) => {
      if (syntax.textOf(syntax.field(node, 'function')) !== 'super') {
        builder.call(this.#exprs.of(syntax.field(node, 'function')))
      }
      reading.children(node)
    })
    reading.on(['return_statement'], (node) => {
      reading.returns.push(this.#exprs.of(syntax.first(node)))
      reading.children(node)
    })
    reading.on(['for_statement', 'for_in_clause'], (node) => {
      const right = syntax.field(node, 'right')
      reading.visit(right)
      this.#bind(syntax.field(node, 'left'), elementExpr(this.#exprs.of(right)))
      reading.visit(syntax.field(node, 'body'))
      reading.visit(syntax.field(node, 'alternative'))
    })
    const comprehensions = [
      'list_comprehension',
      'set_comprehension',
      'dictionary_comprehension',
      'generator_expression',
    ]
    reading.on(comprehensions, (node) => {
      const read = () => {
        const [body = 0, ...clauses] = syntax.children(node)
        for (const clause of [...clauses, body]) reading.visit(clause)
      }
      builder.scoped(read)
    })
    reading.on(['as_pattern'], (node) => {
      reading.visit(syntax.first(node))
      const isCaught = syntax.kind(syntax.parent(node)) === 'except_clause'
      const value = this.#exprs.of(syntax.first(node))
      this.#bind(syntax.first(syntax.field(node, 'alias')), isCaught && value ? ['i', value] : value)
    })
    reading.on(['named_expression'], (node) => {
      this.#bind(syntax.field(node, 'name'), this.#exprs.of(syntax.field(node, 'value')))
      reading.visit(syntax.field(node, 'value'))
    })
    reading.on(['lambda'], (node) =>
      builder.scoped(() => {
        for (const each of syntax.children(syntax.field(node, 'parameters'))) this.#bind(each, null)
        reading.visit(syntax.field(node, 'body'))
      }),
    )
    reading.children(root)
    return builder.facts(this.#all ? { all: this.#all } : {})
  }

  #decorated(node: number): void {
    const { syntax } = this.#reading
    const decorators = syntax.children(node).filter((each) => syntax.kind(each) === 'decorator')
    const definition = syntax.field(node, 'definition')
    if (syntax.kind(definition) === 'class_definition') this.#class(definition, decorators)
    else this.#function(definition, decorators)
  }

  /** A decorator is called with what it decorates, which the call belongs to. */
  #callDecorators(decorators: readonly number[]): void {
    const { syntax, builder } = this.#reading
    for (const decorator of decorators) {
      if (syntax.kind(syntax.first(decorator)) !== 'call')
        builder.call(this.#exprs.of(syntax.first(decorator)))
      this.#reading.children(decorator)
    }
  }

  #class(node: number, decorators: readonly number[]): void {
    const { syntax, builder } = this.#reading
    const name = this.#reading.nameOf(node)
    if (builder.isLocal) {
      builder.bind(name, null)
      builder.scoped(() => this.#reading.children(syntax.field(node, 'body')))
      return
    }
    const definition = builder.define(name, 'class', node)
    const bases = syntax.children(syntax.field(node, 'superclasses'))
    builder.addBases(
      definition,
      bases.map((each) => this.#exprs.type(each)),
    )
    builder.holding(definition, () => {
      this.#callDecorators(decorators)
      this.#reading.visit(syntax.field(node, 'superclasses'))
      this.#reading.children(syntax.field(node, 'body'))
    })
  }

  #function(node: number, decorators: readonly number[]): void {
    const { syntax, builder } = this.#reading
    const name = this.#reading.nameOf(node)
    const holder = builder.holder
    const isLocal = builder.isLocal
    if (isLocal) builder.bind(name, null)
    const definition = isLocal ? -1 : builder.define(name, holder >= 0 ? 'method' : 'function', node)
    const result = this.#exprs.valueOf(syntax.field(node, 'return_type'))
    builder.inside(definition >= 0 ? definition : builder.owner, () => this.#callDecorators(decorators))
    const marks = new Set(decorators.map((each) => syntax.textOf(syntax.first(each))))
    const read = () => {
      const parameters = syntax.children(syntax.field(node, 'parameters'))
      parameters.forEach((parameter, at) => {
        const isFirst = !isLocal && holder >= 0 && at === 0 && !marks.has('staticmethod')
        const self: Expr = marks.has('classmethod') || name === '__new__' ? ['d', holder] : ['self', holder]
        this.#parameter(parameter, isFirst ? self : null)
      })
      this.#reading.children(syntax.field(node, 'body'))
    }
    this.#reading.body(definition, read, result ?? undefined)
    const isRead = ['property', 'cached_property', 'functools.cached_property'].some((each) =>
      marks.has(each),
    )
    if (isRead) builder.setValue(definition, builder.get(definition)?.result ?? null)
  }

  #parameter(parameter: number, self: Expr): void {
    const { syntax } = this.#reading
    const value = this.#exprs.valueOf(syntax.field(parameter, 'type'))
    const given = syntax.field(parameter, 'value')
    const name =
      syntax.field(parameter, 'name') ||
      (syntax.kind(parameter) === 'identifier' ? parameter : syntax.first(parameter))
    this.#bind(name, self ?? value)
    if (given !== 0) this.#reading.visit(given)
  }

  #assign(node: number): void {
    const { syntax, builder } = this.#reading
    const left = syntax.field(node, 'left')
    const right = syntax.field(node, 'right')
    const declared = this.#exprs.valueOf(syntax.field(node, 'type'))
    const value = declared ?? (right === 0 ? null : this.#exprs.of(right))
    const isName = syntax.kind(left) === 'identifier'
    const isTop = !builder.isLocal && builder.holder < 0
    if (isTop && isName) {
      const name = syntax.textOf(left)
      if (name === '__all__')
        this.#all = [...syntax.textOf(right).matchAll(/['"](\w+)['"]/g)].map(([, each = '']) => each)
      const definition = builder.define(name, 'constant', node)
      builder.setValue(definition, value)
      builder.inside(definition, () => this.#reading.visit(right))
      return
    }
    this.#reading.visit(right)
    if (!builder.isLocal && isName) builder.addField(builder.holder, syntax.textOf(left), value)
    else this.#bindAssigned(left, right, value)
  }

  #bindAssigned(left: number, right: number, value: Expr): void {
    const { syntax } = this.#reading
    const targets = syntax.children(left)
    const values = syntax.children(right)
    const isPairs = syntax.kind(left) === 'pattern_list' && targets.length === values.length
    if (!isPairs) this.#bind(left, value)
    else for (const [at, target] of targets.entries()) this.#bind(target, this.#exprs.of(values[at] ?? 0))
  }

  #bind(target: number, value: Expr): void {
    const { syntax, builder } = this.#reading
    switch (syntax.kind(target)) {
      case 'identifier': {
        const name = syntax.textOf(target)
        // The first known value stays: a name that is assigned twice mostly keeps its type.
        const known = builder.isBound(name) ? builder.lookup(name) : null
        builder.bind(name, known ?? value)
        break
      }
      case 'attribute': {
        const self = this.#exprs.of(syntax.field(target, 'object'))
        if (self?.[0] === 'self')
          builder.addField(self[1], syntax.textOf(syntax.field(target, 'attribute')), value)
        break
      }
      case 'pattern_list':
      case 'tuple_pattern':
      case 'list_pattern':
        for (const each of syntax.children(target)) this.#bind(each, null)
        break
      case 'list_splat_pattern':
      case 'dictionary_splat_pattern':
      case 'default_parameter':
      case 'typed_parameter':
        this.#bind(syntax.first(target), null)
    }
  }
}
