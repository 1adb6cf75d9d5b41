import type { AddressToken } from './tokenizer.ts'
import { directionAbbreviations, stateCodes, suffixAbbreviations } from './abbreviations.ts'

/**
 * The road type that precedes a name (`County Road 500`, `Avenue B`, `Calle Luna`) and the words of the name, or null.
 */
export function parsePretype(words: readonly AddressToken[]): { name: string; rest: AddressToken[] } | null {
  const parts = joinToMarket(splitHyphenated(words))
  const first = roadWordOf(parts[0]?.key)
  const second = roadWordOf(parts[1]?.key)
  const pair = numberedRoadTypes.get(`${first} ${second}`)
  if (pair !== undefined && isRoadNumber(parts[2]?.key)) return { name: pair, rest: withoutRoadWord(parts.slice(2)) }
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
  const isLettered = first !== 'INTERSTATE' && first !== 'US'
  if (single !== undefined && isRoadNumber(parts[1]?.key) && (isLettered || /\d/.test(parts[1]!.key)))
    return { name: single, rest: withoutRoadWord(parts.slice(1)) }
  const lettered = letteredRoadTypes.get(first)
  if (lettered !== undefined && parts.length === 2 && /^(?:[A-Z]|\d{1,4}[A-Z]?)$/.test(parts[1]!.key))
    return { name: lettered, rest: parts.slice(1) }
  if (parts[0]?.key === 'STREET' && parts.length === 2 && /^[A-Z]$/.test(parts[1]!.key))
    return { name: 'Street', rest: parts.slice(1) }
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
  ['FARM RD', 'FM'],
  ['LOOP', 'Loop'],
  ['SPUR', 'Spur'],
  ['PRIVATE RD', 'Private Road'],
  ['RNCH RD', 'Ranch Road'],
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

/** Whether a word is the number or letter of a road, and not the type of a street (`Route Ct`) or a direction. */
function isRoadNumber(key = ''): boolean {
  if (key.length === 2 && (suffixAbbreviations.has(key) || directionAbbreviations.has(key))) return false
  return /^(?:\d{1,5}[A-Z]{0,2}|[A-Z]{1,2}|[A-Z]\d{1,3}[A-Z]?|\d{1,4}[-/.]\d{1,4})$/.test(key)
}

/** Splits a road type and number written as one word: `I-70`, `US-50`, `CR-12`. */
function splitHyphenated(words: readonly AddressToken[]): AddressToken[] {
  const [first, ...rest] = words
  const match = first && /^([A-Z]{1,3})-?(\d{1,4}[A-Z]?)$/.exec(first.key)
  if (!match || !isRoadCode(match[1]!, first.key)) return [...words]
  return [
    { text: match[1]!, key: match[1]!, endsSegment: false },
    { text: match[2]!, key: match[2]!, endsSegment: first.endsSegment },
    ...rest,
  ]
}

/** Whether letters before a number are a kind of road, or a state with a hyphen: `I-70`, `SR60`, `FL-60`, `PR-140`. */
function isRoadCode(letters: string, word: string): boolean {
  return (
    /^(?:I|US|SR|CR|FM|SH|HWY|RT|RTE)$/.test(letters) || (word.includes('-') && stateCodes.get(letters) === letters)
  )
}

/** `US 70 Hwy` is `US 70`. */
function withoutRoadWord([number, ...rest]: AddressToken[]): AddressToken[] {
  const isRepeated = rest.length > 0 && /^(?:HWY|RTE)$/.test(roadWordOf(rest[0]!.key))
  return [number!, ...(isRepeated ? rest.slice(1) : rest)]
}

/** `Farm to Market Road 620` and `FM Road 620` are `FM 620`. */
function joinToMarket(words: AddressToken[]): AddressToken[] {
  const keys = words.slice(0, 4).map(({ key }) => key)
  const isLong = /^(?:FARM|RANCH) TO MARKET (?:RD|ROAD)$/.test(keys.join(' '))
  const isShort = keys[0] === 'FM' && /^(?:RD|ROAD)$/.test(keys[1] ?? '')
  if (!isLong && !isShort) return words
  return [{ text: 'FM', key: 'FM', endsSegment: false }, ...words.slice(isLong ? 4 : 2)]
}
