import type { AddressParts } from './address.ts'
import { ordinal, shown, titled, type Token } from './address-token.ts'
import { directions } from './words-directions.ts'
import { pretypeOf } from './street-pretype.ts'
import { suffixes } from './words-suffixes.ts'

/** A street by the parts of Publication 28. */
export type Street = Pick<AddressParts, 'predirectional' | 'pretype' | 'street' | 'suffix' | 'postdirectional'>

/** The parts of a street; it always has a name, if it has a word at all: `North St` is the street North. */
export function streetOf(words: readonly Token[]): Street {
  const street: Street = {}
  const before = leading(words)
  if (before) street.predirectional = before.code
  const pretype = pretypeOf(before ? words.slice(before.count) : words)
  if (pretype) street.pretype = pretype.name
  let name = pretype?.rest ?? (before ? words.slice(before.count) : [...words])
  const after = pretype && name.length < 2 ? null : trailing(name)
  if (after) {
    street.postdirectional = after.code
    name = name.slice(0, -after.count)
  }
  const suffix = name.length > 1 ? suffixes.get(name.at(-1)!.key) : undefined
  if (suffix !== undefined) {
    street.suffix = titled(suffix)
    name = name.slice(0, -1)
  }
  if (name.length > 0) street.street = shown(name)
  return street
}

/** What streets of one name have in common, however it is written: `Saint Mary's`, `ST MARYS`; `Seventh`, `7th`; `Mc Donald`, `McDonald`. */
export function nameKeyOf(words: readonly string[]): string {
  let key = ''
  for (const word of words) {
    const next = canonical(word.replace(/[-/]/g, ''))
    key += /\d$/.test(key) && /^\d/.test(next) ? ` ${next}` : next
  }
  return key
}

/** The word for the kind of a street, before or after its name. `Avenue B` and `B Avenue` are of one kind, and so are all numbered roads of a county. */
export function typeKeyOf({ pretype, suffix }: Street): string {
  return (pretype ?? suffix ?? '').toUpperCase()
}

/** Words that end a street: a direction with its place, counted from the end. */
function trailing(words: readonly Token[]): { code: string; count: number } | null {
  const [first, second] = [words.at(-2)?.key ?? '', words.at(-1)?.key ?? '']
  if (words.length > 2 && isAxis(first, 'NS') && isAxis(second, 'EW')) return { code: first + second, count: 2 }
  const code = words.length > 1 ? directions.get(second) : undefined
  return code === undefined ? null : { code, count: 1 }
}

function leading(words: readonly Token[]): { code: string; count: number } | null {
  const [first, second, third] = words.map(({ key }) => key)
  const code = directions.get(first ?? '')
  if (code === undefined || second === undefined) return null
  if (third !== undefined && isAxis(first!, 'NS') && isAxis(second, 'EW') && !suffixes.has(third)) return { code: first! + second, count: 2 }
  // North Street, and Avenue E: the direction is the name.
  return words.length === 2 && (suffixes.has(second) || directions.has(second)) ? null : { code, count: 1 }
}

function isAxis(key: string, letters: string): boolean {
  return key.length === 1 && letters.includes(key)
}

function canonical(word: string): string {
  return ordinals.get(word) ?? (word.length > 2 ? directions.get(word) : undefined) ?? (word === 'SAINT' ? 'ST' : undefined) ?? (ordinal.test(word) ? word : suffixes.get(word) ?? word)
}

const ordinals = new Map('FIRST SECOND THIRD FOURTH FIFTH SIXTH SEVENTH EIGHTH NINTH TENTH ELEVENTH TWELFTH THIRTEENTH FOURTEENTH FIFTEENTH SIXTEENTH SEVENTEENTH EIGHTEENTH NINETEENTH TWENTIETH'
  .split(' ').map((word, i) => [word, `${i + 1}${['ST', 'ND', 'RD'][i] ?? 'TH'}`]))
