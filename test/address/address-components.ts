import type { AddressComponents } from '../../src/address/address.ts'
import { directions, names, suffixes } from './address-words.ts'

export type Random = () => number
/** The written form of a part of an address, and what it means. */
export type Written = { text: string; parts: AddressComponents }

export function whole(random: Random, below: number): number {
  return Math.floor(random() * below)
}

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[whole(random, list.length)]!
}

/** The part in half of the cases. */
export function maybe(random: Random, part: Written): Written {
  return random() < 0.5 ? part : { text: '', parts: {} }
}

/** The parts in order, separated by spaces. */
export function joined(...all: Written[]): Written {
  const parts: AddressComponents = Object.assign({}, ...all.map((it) => it.parts))
  return {
    text: all
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join(' '),
    parts,
  }
}

export function houseNumberOf(random: Random): Written {
  const number = String(1 + whole(random, pick(random, [99, 999, 9999, 29999])))
  return { text: number, parts: { number } }
}

/** A street with a name and a type, which is written in one of its usual ways. */
export function streetOf(random: Random, allowed: readonly (readonly string[])[] = suffixes): Written {
  const street = pick(random, names)
  const [text, suffix] = suffixOf(random, allowed)
  return { text: `${street} ${text}`, parts: { street, suffix } }
}

/** A road whose kind comes first. A word with a hyphen joins its number. */
export function roadOf(word: string, pretype: string, street: string): Written {
  return { text: `${word}${word.endsWith('-') ? '' : ' '}${street}`, parts: { pretype, street } }
}

export function suffixOf(
  random: Random,
  allowed: readonly (readonly string[])[] = suffixes,
): [text: string, suffix: string] {
  const row = pick(random, allowed)
  return [pick(random, row), row[0]!]
}

export function directionOf(
  random: Random,
  side: 'pre' | 'post',
  allowed: readonly (readonly string[])[] = directions,
): Written {
  const row = pick(random, allowed)
  const code = row[0]!
  const text = pick(random, row)
  return { text, parts: side === 'pre' ? { predirectional: code } : { postdirectional: code } }
}

export function ordinalOf(random: Random): Written {
  const number = 1 + whole(random, 150)
  const tens = Math.floor(number / 10) % 10
  const ending = tens === 1 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')
  const [text, suffix] = suffixOf(random)
  return { text: `${number}${ending} ${text}`, parts: { street: `${number}${ending}`, suffix } }
}

export function calleOf(random: Random): Written {
  const [text, pretype] = pick(random, [
    ['Calle', 'Calle'],
    ['Avenida', 'Avenida'],
    ['Avda', 'Avenida'],
  ] as const)
  const street = pick(random, ['Luna', 'San Sebastian', '5', '12', 'Ponce de Leon', 'Los Mirtos', 'Las Flores', 'B'])
  return { text: `${text} ${street}`, parts: { pretype, street } }
}

/** A unit as it is written and as Publication 28 writes it. */
export function unitOf(random: Random): [text: string, unit: string] {
  const number = pick(random, [
    String(1 + whole(random, 3500)),
    `${1 + whole(random, 99)}B`,
    `A${1 + whole(random, 40)}`,
  ])
  const digits = String(1 + whole(random, 3500))
  const floor = 2 + whole(random, 8)
  const ordinal = `${floor}${floor === 2 ? 'nd' : floor === 3 ? 'rd' : 'th'}`
  return pick(random, [
    [`Apt ${number}`, `Apt ${number}`],
    [`Apt. ${number}`, `Apt ${number}`],
    [`Apartment ${number}`, `Apt ${number}`],
    [`Apt #${number}`, `Apt ${number}`],
    [`Suite ${number}`, `Ste ${number}`],
    [`STE-${number}`, `Ste ${number}`],
    [`Ste. ${number}`, `Ste ${number}`],
    [`Unit ${number}`, `Unit ${number}`],
    [`unit${digits}`, `Unit ${digits}`],
    [`#${number}`, `#${number}`],
    [`# ${number}`, `#${number}`],
    [`No. ${digits}`, `#${digits}`],
    [`Bldg ${number}`, `Bldg ${number}`],
    [`Building C Apt ${digits}`, `Bldg C Apt ${digits}`],
    [`Bldg 4, Unit ${number}`, `Bldg 4 Unit ${number}`],
    [`PH${floor}`, `Ph ${floor}`],
    [`Penthouse ${floor}`, `Ph ${floor}`],
    [`BAY ${floor}`, `Bay ${floor}`],
    [`Lot ${floor}`, `Lot ${floor}`],
    [`Rm ${digits}`, `Rm ${digits}`],
    [`Room ${digits}`, `Rm ${digits}`],
    [`Spc ${floor}`, `Spc ${floor}`],
    [`Space ${floor}`, `Spc ${floor}`],
    [`Trlr ${floor}`, `Trlr ${floor}`],
    [`Fl ${floor}`, `Fl ${floor}`],
    [`Floor ${floor}`, `Fl ${floor}`],
    [`${ordinal} Floor`, `${ordinal} Fl`],
    ['Ground Floor', 'Ground Fl'],
    ['Second Floor', 'Second Fl'],
    ['Rear', 'Rear'],
    ['Basement', 'Bsmt'],
    ['Lobby', 'Lbby'],
    ['Mezzanine', 'Mezz'],
    [`PMB ${digits}`, `Pmb ${digits}`],
    [`B-${digits}`, `B-${digits}`],
  ] as const) as [string, string]
}
