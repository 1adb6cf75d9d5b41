import type { AddressToken } from './tokenizer.ts'
import { stateCodes, suffixAbbreviations } from './abbreviations.ts'

/**
 * The road type that precedes a name (`County Road 500`, `Avenue B`, `Calle Luna`) and the words of the name, or null.
 */
export function parsePretype(words: readonly AddressToken[]): { name: string; rest: AddressToken[] } | null {
  const parts = splitHyphenated(words)
  const first = roadWordOf(parts[0]?.key)
  const second = roadWordOf(parts[1]?.key)
  const pair = numberedRoadTypes.get(`${first} ${second}`)
  if (pair !== undefined && isRoadNumber(parts[2]?.key)) return { name: pair, rest: parts.slice(2) }
  // "Vermont 100": a state and a number.
  if (
    first === 'STATE' &&
    parts[0]!.key !== 'ST' &&
    parts[0]!.key !== 'STATE' &&
    /^\d{1,3}[A-Z]?$/.test(parts[1]?.key ?? '') &&
    parts.length === 2
  )
    return { name: 'State Route', rest: parts.slice(1) }
  const single = numberedRoadTypes.get(first)
  if (single !== undefined && isRoadNumber(parts[1]?.key) && !isStreetName(parts))
    return { name: single, rest: parts.slice(1) }
  const lettered = letteredRoadTypes.get(first)
  if (lettered !== undefined && parts.length === 2 && /^(?:[A-Z]|\d{1,4}[A-Z]?)$/.test(parts[1]!.key))
    return { name: lettered, rest: parts.slice(1) }
  const spanish = spanishPretypes.get(parts[0]?.key ?? '')
  return spanish !== undefined && parts.length > 1 ? { name: spanish, rest: parts.slice(1) } : null
}

const numberedRoadTypes = new Map([
  ['CR', 'County Road'],
  ['COUNTY RD', 'County Road'],
  ['COUNTY HWY', 'County Highway'],
  ['CH', 'County Highway'],
  ['CTH', 'County Highway'],
  ['COUNTY RTE', 'County Route'],
  ['STATE RTE', 'State Route'],
  ['SR', 'State Route'],
  ['STATE RD', 'State Road'],
  ['STATE HWY', 'State Highway'],
  ['SH', 'State Highway'],
  ['STH', 'State Highway'],
  ['US HWY', 'US Highway'],
  ['US RTE', 'US Highway'],
  ['US', 'US Highway'],
  ['USH', 'US Highway'],
  ['HWY', 'Highway'],
  ['RTE', 'Route'],
  ['INTERSTATE HWY', 'Interstate'],
  ['INTERSTATE', 'Interstate'],
  ['FM', 'FM'],
  ['FM RD', 'FM'],
  ['RANCH RD', 'Ranch Road'],
  ['RM', 'Ranch Road'],
  ['RR', 'Ranch Road'],
  ['TOWNSHIP RD', 'Township Road'],
  ['TOWNSHIP HWY', 'Township Road'],
  ['TR', 'Township Road'],
  ['FOREST RD', 'Forest Road'],
  ['FS RD', 'Forest Road'],
])
const letteredRoadTypes = new Map([
  ['AVE', 'Avenue'],
  ['RD', 'Road'],
  ['LN', 'Lane'],
  ['DR', 'Drive'],
])
const spanishPretypes = new Map([
  ['CALLE', 'Calle'],
  ['AVENIDA', 'Avenida'],
  ['AVDA', 'Avenida'],
  ['CARRETERA', 'Carretera'],
  ['CARR', 'Carretera'],
])
const roadWordAliases = new Map([
  ['CO', 'COUNTY'],
  ['CTY', 'COUNTY'],
  ['CNTY', 'COUNTY'],
  ['COUNTY', 'COUNTY'],
  ['STATE', 'STATE'],
  ['ST', 'STATE'],
  ['RT', 'RTE'],
  ['I', 'INTERSTATE'],
  ['INTERSTATE', 'INTERSTATE'],
  ['TWP', 'TOWNSHIP'],
  ['TOWNSHIP', 'TOWNSHIP'],
  ['NFS', 'FS'],
])

/** The normalized road word. A state name before `Route` or `Highway` means a state road: `VT Route 100`. */
function roadWordOf(key = ''): string {
  const alias = roadWordAliases.get(key) ?? suffixAbbreviations.get(key)
  if (alias !== undefined) return alias
  return stateCodes.has(key) ? 'STATE' : key
}

function isRoadNumber(key = ''): boolean {
  return /^(?:\d{1,5}[A-Z]{0,2}|[A-Z]{1,2}|[A-Z]\d{1,3}[A-Z]?|\d{1,4}[-/.]\d{1,4})$/.test(key)
}

/** Whether two words form a street name and not a road number: `Route Ct`, `Highway Dr`. */
function isStreetName(parts: readonly AddressToken[]): boolean {
  const [, second] = parts
  return parts.length === 2 && !/\d/.test(second!.key) && suffixAbbreviations.has(second!.key)
}

/** Splits a road type and number written as one word: `I-70`, `US-50`, `CR-12`. */
function splitHyphenated(words: readonly AddressToken[]): AddressToken[] {
  const [first, ...rest] = words
  const match = first && /^(I|US|SR|CR|FM|SH|HWY|RT|RTE)-?(\d{1,4}[A-Z]?)$/.exec(first.key)
  if (!match) return [...words]
  return [
    { text: match[1]!, key: match[1]!, endsSegment: false },
    { text: match[2]!, key: match[2]!, endsSegment: first.endsSegment },
    ...rest,
  ]
}
