import { displayNameOf, titleCase, type AddressToken } from './tokenizer.ts'
import { directionAbbreviations, suffixAbbreviations } from './abbreviations.ts'
import type { Street } from './street-key.ts'
import { parsePretype } from './street-pretype.ts'

/** Parses a street. A street with any word has a name: `North St` is the street North. */
export function parseStreet(words: readonly AddressToken[]): Street {
  const street: Street = {}
  const predirection = findPredirection(words)
  if (predirection) street.predirectional = predirection.code
  const pretype = parsePretype(predirection ? words.slice(predirection.count) : words)
  if (pretype) street.pretype = pretype.name
  let name = pretype?.rest ?? (predirection ? words.slice(predirection.count) : [...words])
  const postdirection = pretype && name.length < 2 ? null : findPostdirection(name)
  if (postdirection) {
    street.postdirectional = postdirection.code
    name = name.slice(0, -postdirection.count)
  }
  const suffix = name.length > 1 ? suffixAbbreviations.get(name.at(-1)!.key) : undefined
  if (suffix !== undefined) {
    street.suffix = titleCase(suffix)
    name = name.slice(0, -1)
  }
  if (name.length > 0) street.street = displayNameOf(name)
  return street
}

/** The direction at the end of a street: its code and how many words it takes. */
function findPostdirection(words: readonly AddressToken[]): { code: string; count: number } | null {
  const [first, second] = [words.at(-2)?.key ?? '', words.at(-1)?.key ?? '']
  if (words.length > 2 && isAxis(first, 'NS') && isAxis(second, 'EW')) return { code: first + second, count: 2 }
  const code = words.length > 1 ? directionAbbreviations.get(second) : undefined
  return code === undefined ? null : { code, count: 1 }
}

/** The direction at the start of a street: its code and how many words it takes; null if there is none. */
export function findPredirection(words: readonly AddressToken[]): { code: string; count: number } | null {
  const [first, second, third] = words.map(({ key }) => key)
  const code = directionAbbreviations.get(first ?? '')
  if (code === undefined || second === undefined) return null
  if (third !== undefined && isAxis(first!, 'NS') && isAxis(second, 'EW') && !suffixAbbreviations.has(third))
    return { code: first! + second, count: 2 }
  // In "North Street" and "Avenue E" the direction is the name.
  return words.length === 2 && (suffixAbbreviations.has(second) || directionAbbreviations.has(second))
    ? null
    : { code, count: 1 }
}

/** Whether words are a road whose type comes first: `County Road 12`, `W Avenue J`. */
export function isPretypedRoad(words: readonly AddressToken[]): boolean {
  const predirection = findPredirection(words)
  return (
    parsePretype(words) !== null || (predirection !== null && parsePretype(words.slice(predirection.count)) !== null)
  )
}

function isAxis(key: string, letters: string): boolean {
  return key.length === 1 && letters.includes(key)
}
