import type { GeometryPart } from '../geo/text/wkb-write.ts'

/** How a well-known text begins. */
export const wktPattern = /^\s*(?:SRID=\d+;\s*)?(?:MULTI)?(?:POINT|LINESTRING|POLYGON|GEOMETRYCOLLECTION)/i

/** Well-known text, and no header such as `POINT_X,POINT_Y`. */
export const wktTextPattern = new RegExp(`${wktPattern.source}\\s*(?:(?:ZM?|M)\\s*)?(?:\\(|EMPTY)`, 'i')

/** The parts of a well-known text. Ignores Z and M values and a leading `SRID=…;`. @throws Error if it is malformed. */
export function partsOfWkt(text: string): GeometryPart[] {
  const tokens = text.replace(/^\s*SRID=\d+;/i, '').match(/[A-Za-z]+|[-+\d.][-+\d.eE]*|[(),]/g) ?? []
  let i = 0
  const parts: GeometryPart[] = []
  parseGeometry(0)
  if (i < tokens.length) throw new Error(`Unexpected ${tokens[i]}.`)
  return parts

  function parseGeometry(depth: number): void {
    if (depth > maxDepth) throw new Error('Collections are nested too deeply.')
    const type = (tokens[i++] ?? '').toUpperCase().replace(/(?<=.)(Z|M|ZM)$/, '')
    if (/^(Z|M|ZM)$/i.test(tokens[i] ?? '')) i++
    if (/^EMPTY$/i.test(tokens[i] ?? '')) return void i++
    if (type === 'POINT') addPart('point', [parsePath()])
    else if (type === 'LINESTRING') addPart('line', [parsePath()])
    else if (type === 'POLYGON') addPart('polygon', parseList(parsePath))
    else if (type === 'MULTIPOINT')
      parseList(() => (tokens[i] === '(' ? parsePath() : parsePosition([]))).forEach((it) => addPart('point', [it]))
    else if (type === 'MULTILINESTRING') parseList(parsePath).forEach((it) => addPart('line', [it]))
    else if (type === 'MULTIPOLYGON')
      parseList(() => parseList(parsePath)).forEach((rings) => addPart('polygon', rings))
    else if (type === 'GEOMETRYCOLLECTION') parseList(() => parseGeometry(depth + 1))
    else throw new Error(`Unsupported geometry type "${type}".`)
  }

  function parseList<T>(parseMember: () => T): T[] {
    expectToken('(')
    const members = [parseMember()]
    while (tokens[i] === ',') {
      i++
      members.push(parseMember())
    }
    expectToken(')')
    return members
  }

  function parsePath(): number[] {
    if (/^EMPTY$/i.test(tokens[i] ?? '')) {
      i++
      return []
    }
    return parseList(() => parsePosition([])).flat()
  }

  function parsePosition(into: number[]): number[] {
    for (let n = 0; tokens[i] !== undefined && !/[(),]/.test(tokens[i]!); n++, i++)
      if (n < 2) into.push(Number(tokens[i]))
    if (into.length < 2) throw new Error('A position must have two numbers.')
    return into
  }

  function expectToken(token: string): void {
    if (tokens[i++] !== token) throw new Error(`Expected ${token}, found ${tokens[i - 1] ?? 'nothing'}.`)
  }

  function addPart(kind: GeometryPart['kind'], paths: number[][]): void {
    const filled = paths.filter((it) => it.length > 0)
    if (filled.length > 0) parts.push({ kind, paths: filled })
  }
}

const maxDepth = 8
