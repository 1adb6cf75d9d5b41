import { ordinal, titled, type Token } from '../model/address-token.ts'
import { pretypeOf } from '../model/street-pretype.ts'
import { directions } from '../model/words-directions.ts'
import { plainSuffixes, suffixes } from '../model/words-suffixes.ts'
import { loneUnits, units } from '../model/words-units.ts'

/**
 * Divides the words behind the number into the street and the unit (`Apt 4`, `#3`, `2nd Floor`, or a bare `B` behind a suffix). What else
 * stands behind the comma of the street (a part of the town, an urbanización) is neither.
 */
export function splitUnit(words: Token[]): { street: Token[]; unit: Token[] } {
  const found = words.findIndex((_word, i) => i > 0 && isUnit(words, i))
  const at = found > 0 && isFloor(words, found) ? found - 1 : found
  const comma = words.findIndex(({ ends }) => ends) + 1
  const behind = comma === 0 ? [] : words.slice(comma)
  const isStreetDone = behind.length > 0 && !suffixes.has(behind[0]!.key) && !directions.has(behind[0]!.key)
  if (at > 0) return { street: words.slice(0, isStreetDone ? Math.min(at, comma) : at), unit: words.slice(at) }
  if (isStreetDone) return { street: words.slice(0, comma), unit: isShort(behind) ? behind : [] }
  return hasBareUnit(words) ? { street: words.slice(0, -1), unit: words.slice(-1) } : { street: words, unit: [] }
}

/** A unit as it is shown: `Apt 4`, `#3`, `Bldg 2 Apt 4`. */
export function unitLineOf(words: readonly Token[]): string {
  const parts = words.filter(({ key }, i) => key !== '#' || !(words[i + 1] === undefined || units.has(words[i + 1]!.key) || (i > 0 && words[i - 1]!.key !== '#' && units.has(words[i - 1]!.key))))
  return parts.map(({ key }) => (key === '#' ? '#' : units.has(key) ? titled(units.get(key)!) : ordinal.test(key) ? key.toLowerCase() : key)).join(' ').replaceAll('# ', '#')
}

/** Designators that are as often the name of a street: they need a number. */
const names = new Set(['KEY', 'LOT', 'FRNT', 'SIDE', 'PIER', 'SLIP', 'STOP', 'SPC', 'LOWR', 'UPPR', 'REAR', 'OFC', 'BOX', 'HNGR', 'LBBY', 'PH'])

function isUnit(words: Token[], i: number): boolean {
  const designator = units.get(words[i]!.key)
  if (designator === undefined) return false
  if (designator === '#') return words[i + 1] !== undefined
  const next = words[i + 1]?.key
  if (next === undefined) return isFloor(words, i) || (loneUnits.has(designator) ? isStreet(words.slice(0, i)) : isStreet(words.slice(0, i)) && words[i - 1]!.ends)
  if (next === '#' || /\d/.test(next)) return !suffixes.has(next)
  return next.length <= 2 && !suffixes.has(next) && (!names.has(designator) || isStreet(words.slice(0, i)))
}

/** `2nd Floor`: here the number comes first. */
function isFloor(words: Token[], i: number): boolean {
  return i > 1 && units.get(words[i]!.key) === 'FL' && /^\d/.test(words[i - 1]!.key) && !/^\d/.test(words[i + 1]?.key ?? '')
}

/** `55th Avenue B`, `Main St 12`, but not `Avenue B`, `County Road 12`, `Old Highway 98`, `18th Avenue S`. */
function hasBareUnit(words: Token[]): boolean {
  const last = words.at(-1)
  if (!last || words.length < 3 || !/^(?:\d{1,5}[A-Z]?|[A-Z]|[A-Z]-?\d{1,4})$/.test(last.key) || directions.has(last.key)) return false
  const street = words.slice(0, -1)
  if (!isStreet(street) || pretypeOf(words)) return false
  return street.at(-1)!.ends || !/\d/.test(last.key) || !/^(?:RD|HWY|RTE)$/.test(suffixes.get(street.at(-1)!.key) ?? '')
}

/** What stands alone behind the comma of a street: `R C`, `A-D`. */
function isShort(words: Token[]): boolean {
  return words.length > 0 && words.length < 3 && !directions.has(words[0]!.key) && words.every(({ key }) => key.length < 3 || (key.length < 7 && /\d|-/.test(key)))
}

/** Whether the words end as a street does: with a suffix that is not its name, or a direction behind one. */
function isStreet(words: Token[]): boolean {
  const [before, last] = [words.at(-2)?.key ?? '', words.at(-1)?.key ?? '']
  return (words.length > 1 && isPlain(last)) || (words.length > 2 && directions.has(last) && isPlain(before)) || (words.length > 0 && words.at(-1)!.ends)
}

function isPlain(key: string): boolean {
  return plainSuffixes.has(suffixes.get(key) ?? '')
}
