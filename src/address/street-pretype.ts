import type { AddressToken } from './tokenizer.ts'
import { directionAbbreviations, namesBySpelling, stateCodes, suffixAbbreviations } from './abbreviations.ts'

/**
 * The road type that precedes a name (`County Road 500`, `Avenue B`, `Calle Luna`) and the words of the name, or null.
 */
export function parsePretype(words: readonly AddressToken[]): { name: string; rest: AddressToken[] } | null {
  const parts = joinToMarket(splitHyphenated(words))
  const first = roadWordOf(parts[0]?.key)
  const second = roadWordOf(parts[1]?.key)
  const pair = numberedRoadTypes.get(`${first} ${second}`)
  // "Missouri Route K", but not "Washington Road J".
  const isNamed = first === 'STATE' && !roadWordAliases.has(parts[0]!.key) && second === 'RD'
  if (pair !== undefined && isRoadNumber(parts[2]?.key) && (!isNamed || /\d/.test(parts[2]!.key)))
    return { name: pair, rest: withoutRoadWord(parts.slice(2)) }
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

const numberedRoadTypes = namesBySpelling(
  `County Road=CR|COUNTY RD, County Highway=COUNTY HWY|CH|CTH, County Route=COUNTY RTE, State Route=STATE RTE|SR,
  State Road=STATE RD, State Highway=STATE HWY|SH|STH, US Highway=US HWY|US RTE|US|USH, Highway=HWY, Route=RTE,
  Interstate=INTERSTATE HWY|INTERSTATE, FM=FM|FARM RD, Loop=LOOP, Spur=SPUR, Private Road=PRIVATE RD,
  Ranch Road=RNCH RD|RM|RR, Township Road=TOWNSHIP RD|TOWNSHIP HWY|TR, Forest Road=FOREST RD|FS RD`,
)
const letteredRoadTypes = namesBySpelling('Avenue=AVE, Road=RD, Lane=LN, Drive=DR')
const spanishPretypes = namesBySpelling('Calle=CALLE, Avenida=AVENIDA|AVDA, Carretera=CARRETERA|CARR')
const roadWordAliases = namesBySpelling(
  'COUNTY=CO|CTY|CNTY|COUNTY, STATE=STATE|ST, RTE=RT, INTERSTATE=I|INTERSTATE, TOWNSHIP=TWP|TOWNSHIP, FS=NFS',
)

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
  const match = first && /^([A-Z]{1,3})-?(\d{1,4}(?:[A-Z]|-\d{1,4})?)$/.exec(first.key)
  const code = match && roadCodeOf(match[1]!, first.key)
  if (!match || !code) return [...words]
  return [
    { text: code, key: code, endsSegment: false },
    { text: match[2]!, key: match[2]!, endsSegment: first.endsSegment },
    ...rest,
  ]
}

/** The kind of road of the letters before a number, or of a state with a hyphen: `I-70`, `SR60`, `FL-60`, `PR-140`. */
function roadCodeOf(letters: string, word: string): string | null {
  if (/^(?:I|US|SR|CR|FM|SH|HWY|RT|RTE)$/.test(letters)) return letters
  return word.includes('-') && stateCodes.get(letters) === letters ? 'SR' : null
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

/** Whether a word before a road word is a name: `Federal Hwy`, but not `N Hwy` or `State Hwy`. */
export function isRoadName(word: AddressToken | undefined): boolean {
  const key = word?.key ?? ''
  return (
    /^\D+$/.test(key) &&
    !directionAbbreviations.has(key) &&
    !stateCodes.has(key) &&
    !/^(?:COUNTY|CO|STATE|US|OLD)$/.test(key)
  )
}

/** Whether a word precedes the number of a road. */
export function isRoadWord(key: string): boolean {
  return /^(?:RD|HWY|RTE|LOOP|SPUR)$/.test(suffixAbbreviations.get(key) ?? key)
}
