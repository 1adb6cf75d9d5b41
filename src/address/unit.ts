import { ordinalPattern, titleCase, type AddressToken } from './tokenizer.ts'
import { findPredirection, isPretypedRoad } from './street.ts'
import { isRoadName, isRoadWord, parsePretype } from './street-pretype.ts'
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
    afterStreet.length > 0 && !suffixAbbreviations.has(afterStreet[0]!.key) && !isDirectionOfStreet(afterStreet)
  const isUnitBefore = isStreetComplete && unitStart > afterComma && isUnitLike(words.slice(afterComma, unitStart))
  if (unitStart > 0)
    return {
      street: splitAfterSuffix(words.slice(0, isStreetComplete ? Math.min(unitStart, afterComma) : unitStart)).street,
      unit: words.slice(isUnitBefore ? afterComma : unitStart),
    }
  if (isStreetComplete) return { street: words.slice(0, afterComma), unit: isUnitLike(afterStreet) ? afterStreet : [] }
  if (hasUnitWithDirection(words)) return { street: words.slice(0, -2), unit: words.slice(-2) }
  if (hasBareUnit(words)) return { street: words.slice(0, -1), unit: words.slice(-1) }
  return splitAfterSuffix(words)
}

/** Whether what follows a comma begins with the direction of the street: `NE`, `NW Ste 4`, but not `West Hall`. */
function isDirectionOfStreet([first, second]: readonly AddressToken[]): boolean {
  if (!directionAbbreviations.has(first!.key)) return false
  return first!.key.length < 3 || first!.endsSegment || second === undefined || unitAbbreviations.has(second.key)
}

/**
 * Splits what follows a street whose suffix is in the middle: a unit without a designator (`Main St D-7`), or a name that
 * is dropped (`Essex St SE Factory Lofts`).
 */
function splitAfterSuffix(words: AddressToken[]): { street: AddressToken[]; unit: AddressToken[] } {
  const last = words.at(-1)?.key ?? ''
  const whole = { street: words, unit: [] }
  const roadEnd = numberedRoadEnd(words)
  if (roadEnd > 0 && roadEnd === words.length - 1 && /^[A-Z]-?\d+$/.test(last))
    return { street: words.slice(0, -1), unit: words.slice(-1) }
  // `Route 60 East Ona Industrial Park`, but not `Highway 98 Frontage Road` or `Highway 301 Blvd W`.
  const isNamed = roadEnd > 0 && roadEnd < words.length - 1 && !/\d/.test(words[roadEnd]!.key)
  if (isNamed && ![last, words[roadEnd]!.key].some(isUnambiguousSuffix))
    return { street: words.slice(0, roadEnd), unit: unitAfterStreet(words.slice(roadEnd)) }
  const suffix = words.findIndex(({ key }, i) => i > 0 && isUnambiguousSuffix(key))
  if (suffix < 0 || isPretypedRoad(words)) return whole
  const hasDirection = isQuadrant(words[suffix + 1]?.key ?? '')
  const end = streetEndAfter(words, suffix)
  const after = words.slice(end)
  const cut = { street: words.slice(0, end), unit: unitAfterStreet(after) }
  if (isBuildingAfter(words[suffix]!.key, after)) return { ...cut, unit: [] }
  if (after.length === 1 && end > suffix + 1 && /^\d{1,5}$/.test(last)) return { ...cut, unit: after }
  if (after.length === 0 || (isRoadWord(words[suffix]!.key) ? /^\d/ : /^\d+$/).test(after[0]!.key)) return whole
  if (!hasDirection && (suffixAbbreviations.has(last) || directionAbbreviations.has(last))) return whole
  if (after.some(({ key }, i) => i > 0 && isUnambiguousSuffix(key)) && !/\d/.test(last)) return whole
  return cut
}

/**
 * Whether the words after a street are a building whose name ends as a street does: `Campbell Ave` and `Luxe Logan
 * Square`, `Peachtree Rd NE` and `Tower Place`. Names of streets rarely have these suffixes inside.
 */
function isBuildingAfter(suffix: string, after: readonly AddressToken[]): boolean {
  const [first, last] = [after[0]?.key ?? '', after.at(-1)?.key ?? '']
  const isNamed = after.length > 1 && suffixAbbreviations.has(last) && !suffixAbbreviations.has(first)
  const street = suffixAbbreviations.get(suffix)!
  if (!isNamed || !/^(?:AVE|BLVD|RD|ST)$/.test(street)) return false
  // `LaSalle St 1 Financial Place`. Before a name, `St` may be a saint.
  if (/^\d+$/.test(first)) return after.length > 2
  return street !== 'ST' && !connectingWords.has(first)
}

const connectingWords = new Set('IN OF AND & TO AT DE DEL LA THE'.split(' '))

/** The index after the number of a road such as `Route 60` and the direction that follows it; 0 for other streets. */
function numberedRoadEnd(words: readonly AddressToken[]): number {
  if (!words.some(({ key }, i) => i > 0 && /\d/.test(key))) return 0
  const name = words.slice(findPredirection(words)?.count ?? 0)
  const rest = parsePretype(name)?.rest ?? []
  if (!/\d/.test(rest[0]?.key ?? '')) return 0
  const number = words.length - rest.length
  return directionAbbreviations.has(rest[1]?.key ?? '') ? number + 2 : number + 1
}

/** The index after a suffix and the direction that follows it, which may be written as two letters. */
export function streetEndAfter(words: readonly AddressToken[], suffix: number): number {
  const [first, second] = [words[suffix + 1]?.key ?? '', words[suffix + 2]?.key ?? '']
  if (/^[NS]$/.test(first) && /^[EW]$/.test(second)) return suffix + 3
  return directionAbbreviations.has(first) ? suffix + 2 : suffix + 1
}

/** What follows a street, if it is a unit: `D-7`, `MSC 24`; or the number at its end: `Vintage Faire Mall 244`. */
export function unitAfterStreet(words: AddressToken[]): AddressToken[] {
  const [first, second] = words
  if (words.length < 4 && words.every(({ key }) => isShortUnit(key))) return words
  if (words.length === 2 && first!.key.length < 4 && isShortUnit(second!.key)) return words
  return /^\d{1,5}$/.test(words.at(-1)?.key ?? '') ? words.slice(-1) : []
}

function isQuadrant(key: string): boolean {
  return key.length === 2 && directionAbbreviations.has(key)
}

function isShortUnit(key: string): boolean {
  return key.length < 3 || (key.length < 9 && /\d/.test(key))
}

/** Splits words such as `STE-106`, `Unit201` and `PH9` in two, `No. 5` into `# 5`, and `East-Central` in two. */
export function splitStuckWords(words: AddressToken[]): AddressToken[] {
  if (!words.some(({ key }) => maybeStuck.test(key))) return words
  return words.flatMap((word, i) => {
    const { key, text, endsSegment } = word
    const roadWord = suffixAbbreviations.get(words[i - 1]?.key ?? '') ?? ''
    const next = words[i + 1]?.key ?? ''
    // `Boundary Ter, St 2`: a misspelled suite.
    const followsStreet = words[i - 1]?.endsSegment || isUnambiguousSuffix(words[i - 1]?.key ?? '')
    if (i > 1 && key === 'ST' && /^\d+$/.test(next) && followsStreet) return [{ ...word, text: 'Ste', key: 'STE' }]
    // `State Highway #50`: the sign before the number of a road says nothing.
    const isRoad = /^(?:HWY|RTE)$/.test(roadWord) && !words[i - 1]!.endsSegment && !isRoadName(words[i - 2])
    if (i > 1 && /^(?:#|NO)$/.test(key) && isRoad && /\d/.test(next)) return []
    if (i > 1 && /^(?:NO|@)$/.test(key) && /^[A-Z]?\d+[A-Z]?(?:-\d+)?$/.test(words[i + 1]?.key ?? ''))
      return [{ ...word, text: '#', key: '#' }]
    const beginsStreet = i === 1 || (i === 2 && directionAbbreviations.has(words[1]!.key))
    const pieces = (beginsStreet ? null : stuckUnit.exec(key)) ?? (i > 0 ? stuckDirection.exec(key) : null)
    if (!pieces) return [word]
    const cut = key.indexOf(pieces[2]!, pieces[1]!.length)
    return [
      { text: text.slice(0, pieces[1]!.length), key: pieces[1]!, endsSegment: false },
      { text: text.slice(cut), key: pieces[2]!, endsSegment },
    ]
  })
}

const maybeStuck = /^(?:NO|#|@|ST)$|^[A-Z]{2,6}-?[A-Z]{0,2}-?\d|^(?:NORTH|SOUTH|EAST|WEST)-/
const stuckUnit = /^(APT|BAY|BLDG|FL|LOT|LT|PH|RM|STE|SUITE|UNIT)-?([A-Z]{0,2}-?\d[\dA-Z-]*)$/
const stuckDirection = /^(NORTH|SOUTH|EAST|WEST)-([A-Z]{3,})$/

/**
 * The words of a unit without what follows it: a name (`Ste 110 Burns Prof Bldg`, `14th Floor, L & C Twr`), or the same
 * unit in other words (`Ste 17-18E Suite E17-18`).
 */
function withoutName(words: readonly AddressToken[]): readonly AddressToken[] {
  const unitName = (index: number) => unitAbbreviations.get(words[index]?.key ?? '')
  const isNamed = unitName(words.length - 1) === 'BLDG' || (endsFloor(words, 2) && words[1]!.endsSegment)
  if (words.length > 2 && isNamed && unitName(2) !== '#' && (unitName(2) ?? 'BLDG') === 'BLDG') return words.slice(0, 2)
  const end = words.findIndex(({ key }, i) => {
    const isName = /^[A-Z-]{4,}$/.test(key) && ![i - 1, i, i + 1].some(unitName)
    return i > 1 && (isName || (unitName(i) !== undefined && unitName(i) === unitName(0)))
  })
  return end < 0 ? words : words.slice(0, end)
}

/** A unit for display: `Apt 4`, `#3`, `Bldg 2 Apt 4`. */
export function formatUnit(unit: readonly AddressToken[]): string {
  const words = withoutName(unit)
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
const ambiguousDesignators = new Set(
  'KEY LOT FRNT SIDE PIER SLIP STOP SPC LOWR UPPR REAR OFC BOX HNGR LBBY PH'.split(' '),
)

function startsUnit(words: AddressToken[], i: number): boolean {
  const designator = unitAbbreviations.get(words[i]!.key)
  if (designator === undefined) return false
  if (designator === '#') return words[i + 1] !== undefined
  // `N RM 1608`: a road behind its direction.
  if (i === 1 && isPretypedRoad(words)) return false
  if (isFloor(words, i)) return true
  const next = words[i + 1]?.key
  const isStandalone = standaloneUnits.has(designator)
  if (next === undefined && isStandalone && ordinalPattern.test(words[i - 1]!.key)) return true
  if (next === undefined) return endsAsStreet(words.slice(0, i)) && (isStandalone || words[i - 1]!.endsSegment)
  if (next === '#' || /\d/.test(next)) return !suffixAbbreviations.has(next)
  return (
    next.length <= 2 &&
    !suffixAbbreviations.has(next) &&
    !connectingWords.has(next) &&
    (!ambiguousDesignators.has(designator) || endsAsStreet(words.slice(0, i)))
  )
}

/** The number of a floor that precedes the word. */
export const floorNumber = /^(?:\d.*|GROUND|FIRST|SECOND|THIRD|FOURTH|FIFTH|SIXTH|SEVENTH|EIGHTH|NINTH|TENTH|TOP|MAIN)$/

/** `2nd Floor`, `Ground Floor`: the number precedes the designator. */
function isFloor(words: AddressToken[], i: number): boolean {
  return (
    i > 1 &&
    unitAbbreviations.get(words[i]!.key) === 'FL' &&
    floorNumber.test(words[i - 1]!.key) &&
    !/^\d/.test(words[i + 1]?.key ?? '')
  )
}

/**
 * Whether the last word is a unit without a designator: `55th Avenue B` and `Main St 12`, but not `Avenue B`, `County
 * Road 12`, `Old Highway 98` or `18th Avenue S`.
 */
function hasBareUnit(words: AddressToken[]): boolean {
  const last = words.at(-1)
  if (!last || words.length < 3 || isPretypedRoad(words) || directionAbbreviations.has(last.key)) return false
  const street = words.slice(0, -1)
  if (isNumberAndLetter(last.key) && !isRoadWord(street.at(-1)!.key)) return true
  if (!/^(?:\d{1,5}[A-Z]?|[A-Z]|[A-Z]-?\d{1,4})$/.test(last.key) || !endsAsStreet(street)) return false
  return street.at(-1)!.endsSegment || !/\d/.test(last.key) || !isRoadWord(street.at(-1)!.key)
}

/** Whether the last words are a unit and its side of the house: `Northshore 1 W`, but not `Highway 12 W`. */
function hasUnitWithDirection(words: AddressToken[]): boolean {
  const [name, number, side] = words.slice(-3)
  if (!side || !directionAbbreviations.has(side.key) || !/^\d{1,4}$/.test(number!.key)) return false
  const isNumberedRoad = isRoadWord(name!.key) && !isRoadName(words.at(-4))
  const isName = isRoadName(name) && name!.key.length > 3 && !suffixAbbreviations.has(name!.key)
  return (isName || endsAsStreet(words.slice(0, -2))) && !isNumberedRoad && !isPretypedRoad(words)
}

/** `27A`, but not `7TH` or the grid number `400E`. */
function isNumberAndLetter(key: string): boolean {
  return /^\d{1,4}[A-DF-MO-RT-VX-Z]$/.test(key)
}

/** Whether the words before an index end with a floor: `10th Floor`. */
export function endsFloor(words: readonly AddressToken[], end: number): boolean {
  return unitAbbreviations.get(words[end - 1]?.key ?? '') === 'FL' && floorNumber.test(words[end - 2]?.key ?? '')
}

/** The unit that ends before an index: `10th Floor`, or `Ste 700` before a comma. */
export function unitBefore(words: readonly AddressToken[], end: number): AddressToken[] {
  const isUnit =
    endsFloor(words, end) ||
    (words[end - 1]?.endsSegment === true &&
      /\d|^[A-Z]$/.test(words[end - 1]!.key) &&
      unitAbbreviations.has(words[end - 2]?.key ?? ''))
  return isUnit ? words.slice(end - 2, end) : []
}

/** Whether the words after the comma of a street are a unit: `R C`, `A-D`. */
function isUnitLike(words: AddressToken[]): boolean {
  return (
    words.length > 0 &&
    words.length < 3 &&
    !directionAbbreviations.has(words[0]!.key) &&
    words.every(({ key }) => key.length < 3 || (key.length < 9 && /\d|-/.test(key)))
  )
}

/** Whether the words end a street: with a suffix that is not the name itself, or with a direction after a suffix. */
function endsAsStreet(words: AddressToken[]): boolean {
  const [before, last] = [words.at(-2)?.key ?? '', words.at(-1)?.key ?? '']
  return (
    (words.length > 1 && isUnambiguousSuffix(last)) ||
    (words.length > 2 && directionAbbreviations.has(last) && isUnambiguousSuffix(before)) ||
    (words.length > 0 && (words.at(-1)!.endsSegment || numberedRoadEnd(words) === words.length))
  )
}
