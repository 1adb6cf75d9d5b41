import { ordinalPattern, titleCase, type AddressToken } from './tokenizer.ts'
import { parsePretype } from './street-pretype.ts'
import {
  directionAbbreviations,
  isUnambiguousSuffix,
  suffixAbbreviations,
  standaloneUnits,
  unitAbbreviations,
} from './abbreviations.ts'

/**
 * Splits the words after the house number into the street and the unit (`Apt 4`, `#3`, `2nd Floor`, or a bare `B` after
 * a suffix). Other words after the comma of the street (a neighborhood, an urbanización) are dropped.
 */
export function splitUnit(words: AddressToken[]): { street: AddressToken[]; unit: AddressToken[] } {
  const designatorIndex = words.findIndex((_word, i) => i > 0 && startsUnit(words, i))
  const unitStart = designatorIndex > 0 && isFloor(words, designatorIndex) ? designatorIndex - 1 : designatorIndex
  const afterComma = words.findIndex(({ endsSegment }) => endsSegment) + 1
  const afterStreet = afterComma === 0 ? [] : words.slice(afterComma)
  const isStreetComplete =
    afterStreet.length > 0 &&
    !suffixAbbreviations.has(afterStreet[0]!.key) &&
    !directionAbbreviations.has(afterStreet[0]!.key)
  if (unitStart > 0)
    return {
      street: words.slice(0, isStreetComplete ? Math.min(unitStart, afterComma) : unitStart),
      unit: words.slice(unitStart),
    }
  if (isStreetComplete) return { street: words.slice(0, afterComma), unit: isUnitLike(afterStreet) ? afterStreet : [] }
  return hasBareUnit(words) ? { street: words.slice(0, -1), unit: words.slice(-1) } : { street: words, unit: [] }
}

/** A unit for display: `Apt 4`, `#3`, `Bldg 2 Apt 4`. */
export function formatUnit(words: readonly AddressToken[]): string {
  const parts = words.filter(
    ({ key }, i) =>
      key !== '#' ||
      !(
        words[i + 1] === undefined ||
        unitAbbreviations.has(words[i + 1]!.key) ||
        (i > 0 && words[i - 1]!.key !== '#' && unitAbbreviations.has(words[i - 1]!.key))
      ),
  )
  return parts
    .map(({ key }) =>
      key === '#'
        ? '#'
        : unitAbbreviations.has(key)
          ? titleCase(unitAbbreviations.get(key)!)
          : ordinalPattern.test(key)
            ? key.toLowerCase()
            : key,
    )
    .join(' ')
    .replaceAll('# ', '#')
}

/** Designators that are also street names; they need a number. */
const ambiguousDesignators = new Set([
  'KEY',
  'LOT',
  'FRNT',
  'SIDE',
  'PIER',
  'SLIP',
  'STOP',
  'SPC',
  'LOWR',
  'UPPR',
  'REAR',
  'OFC',
  'BOX',
  'HNGR',
  'LBBY',
  'PH',
])

function startsUnit(words: AddressToken[], i: number): boolean {
  const designator = unitAbbreviations.get(words[i]!.key)
  if (designator === undefined) return false
  if (designator === '#') return words[i + 1] !== undefined
  const next = words[i + 1]?.key
  if (next === undefined)
    return (
      isFloor(words, i) ||
      (standaloneUnits.has(designator)
        ? endsAsStreet(words.slice(0, i))
        : endsAsStreet(words.slice(0, i)) && words[i - 1]!.endsSegment)
    )
  if (next === '#' || /\d/.test(next)) return !suffixAbbreviations.has(next)
  return (
    next.length <= 2 &&
    !suffixAbbreviations.has(next) &&
    (!ambiguousDesignators.has(designator) || endsAsStreet(words.slice(0, i)))
  )
}

/** `2nd Floor`: the number precedes the designator. */
function isFloor(words: AddressToken[], i: number): boolean {
  return (
    i > 1 &&
    unitAbbreviations.get(words[i]!.key) === 'FL' &&
    /^\d/.test(words[i - 1]!.key) &&
    !/^\d/.test(words[i + 1]?.key ?? '')
  )
}

/**
 * Whether the last word is a unit without a designator: `55th Avenue B` and `Main St 12`, but not `Avenue B`, `County
 * Road 12`, `Old Highway 98` or `18th Avenue S`.
 */
function hasBareUnit(words: AddressToken[]): boolean {
  const last = words.at(-1)
  if (
    !last ||
    words.length < 3 ||
    !/^(?:\d{1,5}[A-Z]?|[A-Z]|[A-Z]-?\d{1,4})$/.test(last.key) ||
    directionAbbreviations.has(last.key)
  )
    return false
  const street = words.slice(0, -1)
  if (!endsAsStreet(street) || parsePretype(words)) return false
  return (
    street.at(-1)!.endsSegment ||
    !/\d/.test(last.key) ||
    !/^(?:RD|HWY|RTE)$/.test(suffixAbbreviations.get(street.at(-1)!.key) ?? '')
  )
}

/** Whether the words after the comma of a street are a unit: `R C`, `A-D`. */
function isUnitLike(words: AddressToken[]): boolean {
  return (
    words.length > 0 &&
    words.length < 3 &&
    !directionAbbreviations.has(words[0]!.key) &&
    words.every(({ key }) => key.length < 3 || (key.length < 7 && /\d|-/.test(key)))
  )
}

/** Whether the words end a street: with a suffix that is not the name itself, or with a direction after a suffix. */
function endsAsStreet(words: AddressToken[]): boolean {
  const [before, last] = [words.at(-2)?.key ?? '', words.at(-1)?.key ?? '']
  return (
    (words.length > 1 && isUnambiguousSuffix(last)) ||
    (words.length > 2 && directionAbbreviations.has(last) && isUnambiguousSuffix(before)) ||
    (words.length > 0 && words.at(-1)!.endsSegment)
  )
}
