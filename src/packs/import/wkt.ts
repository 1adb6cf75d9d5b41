import type { GeometryPart } from '../../geo/wkb-write.ts'

/** The parts of a well-known text, heights and measures passed over, a leading `SRID=…;` too. Throws when it has the wrong form. */
export function partsOfWkt(text: string): GeometryPart[] {
  const tokens = text.replace(/^\s*SRID=\d+;/i, '').match(/[A-Za-z]+|[-+\d.][-+\d.eE]*|[(),]/g) ?? []
  let i = 0
  const parts: GeometryPart[] = []
  geometry(0)
  if (i < tokens.length) throw new Error(`${tokens[i]} was not expected there.`)
  return parts

  function geometry(depth: number): void {
    if (depth > deepest) throw new Error('A collection lies too deep in others.')
    const type = (tokens[i++] ?? '').toUpperCase().replace(/(?<=.)(Z|M|ZM)$/, '')
    if (/^(Z|M|ZM)$/i.test(tokens[i] ?? '')) i++
    if (/^EMPTY$/i.test(tokens[i] ?? '')) return void i++
    if (type === 'POINT') put('point', [path()])
    else if (type === 'LINESTRING') put('line', [path()])
    else if (type === 'POLYGON') put('polygon', listed(path))
    else if (type === 'MULTIPOINT') listed(() => (tokens[i] === '(' ? path() : position([]))).forEach((it) => put('point', [it]))
    else if (type === 'MULTILINESTRING') listed(path).forEach((it) => put('line', [it]))
    else if (type === 'MULTIPOLYGON') listed(() => listed(path)).forEach((rings) => put('polygon', rings))
    else if (type === 'GEOMETRYCOLLECTION') listed(() => geometry(depth + 1))
    else throw new Error(`${type || 'Nothing'} is no type of a geometry that is read.`)
  }

  function listed<T>(member: () => T): T[] {
    expect('(')
    const members = [member()]
    while (tokens[i] === ',') {
      i++
      members.push(member())
    }
    expect(')')
    return members
  }

  function path(): number[] {
    if (/^EMPTY$/i.test(tokens[i] ?? '')) {
      i++
      return []
    }
    return listed(() => position([])).flat()
  }

  function position(into: number[]): number[] {
    for (let n = 0; tokens[i] !== undefined && !/[(),]/.test(tokens[i]!); n++, i++) if (n < 2) into.push(Number(tokens[i]))
    if (into.length < 2) throw new Error('A position was expected to be two numbers.')
    return into
  }

  function expect(token: string): void {
    if (tokens[i++] !== token) throw new Error(`${token} was expected, and there is ${tokens[i - 1] ?? 'nothing'}.`)
  }

  function put(kind: GeometryPart['kind'], paths: number[][]): void {
    const filled = paths.filter((it) => it.length > 0)
    if (filled.length > 0) parts.push({ kind, paths: filled })
  }
}

const deepest = 8
