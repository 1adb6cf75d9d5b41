import type { SimulatedCell, Column } from './layers/layer.ts'

/** An invalid condition: an unknown name, a string compared with a number, or invalid SQL. */
export class WhereError extends Error {}

/** Parses a `where` into a predicate over the cells of a row. NULL is false. */
export function conditionOf(text: string, columns: Column[]): (cells: Record<string, SimulatedCell>) => boolean {
  const tokens = tokensOf(text)
  const condition = parserOf(tokens, columns)()
  if (tokens.length > 0) throw new WhereError(`Unexpected ${tokens[0]}.`)
  return (cells) => condition(cells) === true
}

type Cells = Record<string, SimulatedCell>
type Truth = (cells: Cells) => boolean | null
type Operand = { type: 'text' | 'number' | 'null'; value: (cells: Cells) => SimulatedCell }

function tokensOf(text: string): string[] {
  const form = /\s*(\d+(?:\.\d*)?|\.\d+|'(?:[^']|'')*'|[A-Za-z_][\w.]*|<>|!=|<=|>=|[=<>(),-])/y
  const tokens: string[] = []
  while (form.lastIndex < text.trimEnd().length) {
    const [, token] = form.exec(text.trimEnd()) ?? []
    if (token === undefined) throw new WhereError(`No SQL: ${text}`)
    tokens.push(token)
  }
  return tokens
}

function parserOf(tokens: string[], columns: Column[]): () => Truth {
  const next = () => tokens.shift() ?? ''
  const taken = (word: string) => tokens[0]?.toUpperCase() === word && next() !== ''
  const expect = (word: string) => {
    if (!taken(word)) throw new WhereError(`${word} was expected, not ${tokens[0] ?? 'the end'}.`)
  }

  function either(): Truth {
    const all = [both()]
    while (taken('OR')) all.push(both())
    return (cells) =>
      joined(
        all.map((it) => it(cells)),
        true,
      )
  }

  function both(): Truth {
    const all = [one()]
    while (taken('AND')) all.push(one())
    return (cells) =>
      joined(
        all.map((it) => it(cells)),
        false,
      )
  }

  function one(): Truth {
    if (taken('NOT')) return opposite(one())
    if (!taken('(')) return comparison()
    const inner = either()
    expect(')')
    return inner
  }

  function comparison(): Truth {
    const left = operand()
    if (taken('IS')) {
      const not = taken('NOT')
      expect('NULL')
      return (cells) => (left.value(cells) === null) !== not
    }
    if (taken('NOT')) return opposite(listOrLike(left))
    if (['IN', 'LIKE', 'BETWEEN'].includes(tokens[0]?.toUpperCase() ?? '')) return listOrLike(left)
    return compared(left, next(), operand())
  }

  function listOrLike(left: Operand): Truth {
    if (taken('LIKE')) return liked(left, operand())
    if (taken('BETWEEN')) {
      const low = compared(left, '>=', operand())
      expect('AND')
      const high = compared(left, '<=', operand())
      return (cells) => joined([low(cells), high(cells)], false)
    }
    expect('IN')
    expect('(')
    const values = [operand()]
    while (taken(',')) values.push(operand())
    expect(')')
    const each = values.map((value) => compared(left, '=', value))
    return (cells) =>
      joined(
        each.map((it) => it(cells)),
        true,
      )
  }

  function operand(): Operand {
    const token = next()
    if (token === '-') return constant(-Number(next()))
    if (/^[\d.]/.test(token)) return constant(Number(token))
    if (token.startsWith("'")) return constant(token.slice(1, -1).replaceAll("''", "'"))
    const caseName = /^(UPPER|LOWER)$/i.exec(token)?.[1]?.toUpperCase()
    if (!caseName || tokens[0] !== '(') return columnOf(columns, token)
    expect('(')
    const inner = operand()
    expect(')')
    return { type: inner.type, value: (cells) => cased(inner.value(cells), caseName) }
  }

  return either
}

function joined(truths: (boolean | null)[], requested: boolean): boolean | null {
  if (truths.includes(requested)) return requested
  return truths.includes(null) ? null : !requested
}

function opposite(truth: Truth): Truth {
  return (cells) => {
    const it = truth(cells)
    return it === null ? null : !it
  }
}

function constant(value: string | number): Operand {
  return { type: typeof value === 'number' ? 'number' : 'text', value: () => value }
}

function columnOf(columns: Column[], name: string): Operand {
  const column = columns.find((it) => it.name.toLowerCase() === name.toLowerCase())
  if (!column) throw new WhereError(`No column is named ${JSON.stringify(name)}.`)
  return { type: column.type === 'text' ? 'text' : 'number', value: (cells) => cells[column.name] ?? null }
}

function cased(value: SimulatedCell, caseName: string): SimulatedCell {
  if (typeof value !== 'string') return value
  return caseName === 'UPPER' ? value.toUpperCase() : value.toLowerCase()
}

function compared(left: Operand, sign: string, right: Operand): Truth {
  const holds = comparisons[sign]
  if (!holds) throw new WhereError(`${sign || 'The end'} is no comparison.`)
  if (left.type !== right.type) throw new WhereError('A text was compared with a number.')
  return (cells) => {
    const [a, b] = [left.value(cells), right.value(cells)]
    return a === null || b === null ? null : holds(a, b)
  }
}

const comparisons: Record<string, (a: string | number, b: string | number) => boolean> = {
  '=': (a, b) => a === b,
  '<>': (a, b) => a !== b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
}

function liked(left: Operand, pattern: Operand): Truth {
  if (left.type !== 'text' || pattern.type !== 'text') throw new WhereError('LIKE takes texts.')
  return (cells) => {
    const [value, form] = [left.value(cells), pattern.value(cells)]
    if (value === null || form === null) return null
    const expression = String(form)
      .replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('%', '[^]*')
      .replaceAll('_', '[^]')
    return new RegExp(`^${expression}$`).test(String(value))
  }
}
