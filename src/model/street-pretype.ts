import type { Token } from './address-token.ts'
import { states } from './words-states.ts'
import { suffixes } from './words-suffixes.ts'

/** The kind of a road that stands before its name (`County Road 500`, `Avenue B`, `Calle Luna`), and the words of the name. */
export function pretypeOf(words: readonly Token[]): { name: string; rest: Token[] } | null {
  const parts = unhyphened(words)
  const first = kindOf(parts[0]?.key)
  const second = kindOf(parts[1]?.key)
  const pair = roads.get(`${first} ${second}`)
  if (pair !== undefined && isNumber(parts[2]?.key)) return { name: pair, rest: parts.slice(2) }
  // Vermont 100: a state and a number.
  if (first === 'STATE' && parts[0]!.key !== 'ST' && parts[0]!.key !== 'STATE' && /^\d{1,3}[A-Z]?$/.test(parts[1]?.key ?? '') && parts.length === 2) return { name: 'State Route', rest: parts.slice(1) }
  const single = roads.get(first)
  if (single !== undefined && isNumber(parts[1]?.key) && !isNamed(parts)) return { name: single, rest: parts.slice(1) }
  const lettered = letteredRoads.get(first)
  if (lettered !== undefined && parts.length === 2 && /^(?:[A-Z]|\d{1,4}[A-Z]?)$/.test(parts[1]!.key)) return { name: lettered, rest: parts.slice(1) }
  const spanish = spanishRoads.get(parts[0]?.key ?? '')
  return spanish !== undefined && parts.length > 1 ? { name: spanish, rest: parts.slice(1) } : null
}

const roads = new Map([
  ['CR', 'County Road'], ['COUNTY RD', 'County Road'], ['COUNTY HWY', 'County Highway'], ['CH', 'County Highway'], ['CTH', 'County Highway'], ['COUNTY RTE', 'County Route'],
  ['STATE RTE', 'State Route'], ['SR', 'State Route'], ['STATE RD', 'State Road'], ['STATE HWY', 'State Highway'], ['SH', 'State Highway'], ['STH', 'State Highway'],
  ['US HWY', 'US Highway'], ['US RTE', 'US Highway'], ['US', 'US Highway'], ['USH', 'US Highway'], ['HWY', 'Highway'], ['RTE', 'Route'], ['INTERSTATE HWY', 'Interstate'], ['INTERSTATE', 'Interstate'],
  ['FM', 'FM'], ['FM RD', 'FM'], ['RANCH RD', 'Ranch Road'], ['RM', 'Ranch Road'], ['RR', 'Ranch Road'], ['TOWNSHIP RD', 'Township Road'], ['TOWNSHIP HWY', 'Township Road'], ['TR', 'Township Road'],
  ['FOREST RD', 'Forest Road'], ['FS RD', 'Forest Road'],
])
const letteredRoads = new Map([['AVE', 'Avenue'], ['RD', 'Road'], ['LN', 'Lane'], ['DR', 'Drive']])
const spanishRoads = new Map([['CALLE', 'Calle'], ['AVENIDA', 'Avenida'], ['AVDA', 'Avenida'], ['CARRETERA', 'Carretera'], ['CARR', 'Carretera']])
const kinds = new Map([['CO', 'COUNTY'], ['CTY', 'COUNTY'], ['CNTY', 'COUNTY'], ['COUNTY', 'COUNTY'], ['STATE', 'STATE'], ['ST', 'STATE'], ['RT', 'RTE'], ['I', 'INTERSTATE'], ['INTERSTATE', 'INTERSTATE'], ['TWP', 'TOWNSHIP'], ['TOWNSHIP', 'TOWNSHIP'], ['NFS', 'FS']])

/** A state before `Route` or `Highway` is a state road of its own: `VT Route 100`. */
function kindOf(key = ''): string {
  const own = kinds.get(key) ?? suffixes.get(key)
  if (own !== undefined) return own
  return states.has(key) ? 'STATE' : key
}

function isNumber(key = ''): boolean {
  return /^(?:\d{1,5}[A-Z]{0,2}|[A-Z]{1,2}|[A-Z]\d{1,3}[A-Z]?|\d{1,4}[-/.]\d{1,4})$/.test(key)
}

/** `US A Street` is nothing; `Route Ct` and `Highway Dr` are streets called so. */
function isNamed(parts: readonly Token[]): boolean {
  const [, second] = parts
  return parts.length === 2 && !/\d/.test(second!.key) && suffixes.has(second!.key)
}

/** `I-70`, `US-50`, `CR-12`: the kind and the number, written as one. */
function unhyphened(words: readonly Token[]): Token[] {
  const [first, ...rest] = words
  const match = first && /^(I|US|SR|CR|FM|SH|HWY|RT|RTE)-?(\d{1,4}[A-Z]?)$/.exec(first.key)
  if (!match) return [...words]
  return [{ text: match[1]!, key: match[1]!, ends: false }, { text: match[2]!, key: match[2]!, ends: first.ends }, ...rest]
}
