import type { AddressComponents } from '../../src/address/address.ts'
import { puertoRicanForms } from './puerto-rican-forms.ts'
import { crossingForms } from './crossing-forms.ts'
import { localityStyles, puertoRicanStyles } from './address-localities.ts'
import {
  directionOf,
  joined,
  maybe,
  houseNumberOf,
  ordinalOf,
  pick,
  roadOf,
  streetOf,
  suffixOf,
  unitOf,
  whole,
  type Random,
  type Written,
} from './address-components.ts'
import {
  buildingNames,
  countyWords,
  firms,
  firmSuffixes,
  highwayWords,
  oneLetter,
  ordinalWords,
  spacedHighways,
  suffixes,
  suffixNames,
  twoLetters,
  puertoRicanTowns,
  towns,
} from './address-words.ts'

/** An address that was made by the grammar, and the parts that it was made of. */
export type MadeAddress = { form: string; text: string; expected: AddressComponents & { crossing?: AddressComponents } }

/** Makers of addresses without their town, by the name of the form. */
export type FormsOfAddresses = Record<string, (random: Random) => Written & { crossing?: AddressComponents }>

/** The forms of an address, each a way to write the part before the town. */
export const addressForms: FormsOfAddresses = {
  plain: (random) => joined(houseNumberOf(random), streetOf(random)),
  'direction ahead': (random) => joined(houseNumberOf(random), directionOf(random, 'pre'), streetOf(random)),
  'direction behind': (random) => joined(houseNumberOf(random), streetOf(random), directionOf(random, 'post')),
  'no street type': (random) => {
    const street = pick(random, ['Broadway', 'Calle Real', 'The Alameda', 'El Camino Real', 'Riverfront'])
    const parts = street.startsWith('Calle') ? { pretype: 'Calle', street: 'Real' } : { street }
    return joined(houseNumberOf(random), { text: street, parts })
  },
  'name of suffix words': (random) => {
    const [text, street, suffix] = pick(random, suffixNames)
    return joined(houseNumberOf(random), { text, parts: { street, suffix } })
  },
  'ordinal in digits': (random) =>
    joined(houseNumberOf(random), maybe(random, directionOf(random, 'pre')), ordinalOf(random)),
  'ordinal without its ending': (random) => {
    const number = 2 + whole(random, 130)
    const [suffixText, suffix] = suffixOf(random)
    const street = { text: `${number} ${suffixText}`, parts: { street: String(number), suffix } }
    return joined(houseNumberOf(random), directionOf(random, 'pre', twoLetters), street)
  },
  'ordinal in words': (random) => {
    const [word, digits] = pick(random, ordinalWords)
    const [suffixText, suffix] = suffixOf(random)
    return joined(houseNumberOf(random), { text: `${word} ${suffixText}`, parts: { street: digits, suffix } })
  },
  'lettered road': (random) => {
    const letter = pick(random, [...'BCDGHJKLMPRTVY'])
    const word = pick(random, ['Avenue', 'Ave'])
    const street = { text: `${word} ${letter}`, parts: { pretype: 'Avenue', street: letter } }
    return joined(houseNumberOf(random), maybe(random, directionOf(random, 'pre')), street)
  },
  'lettered street': (random) => {
    const letter = pick(random, [...'BCDFGHJKLMPRTV'])
    const [text, suffix] = pick(
      random,
      suffixes.slice(0, 2).flatMap(([code, ...all]) => all.map((it) => [it, code])),
    )
    return joined(houseNumberOf(random), { text: `${letter} ${text}`, parts: { street: letter, suffix: suffix! } })
  },
  'county road': (random) => {
    const name = pick(random, [String(1 + whole(random, 999)), ...'ABCDGHKMPTVY'])
    const isNumber = /\d/.test(name)
    const [word, pretype] = pick(
      random,
      countyWords.filter(([it]) => isNumber || !it.endsWith('-')),
    )
    const street = roadOf(word, pretype, name)
    return joined(houseNumberOf(random), maybe(random, directionOf(random, 'pre')), street)
  },
  'numbered highway': (random) => {
    const name = pick(random, [String(1 + whole(random, 620)), '17-92', '1A', '12'])
    const [word, pretype] = pick(random, highwayWords)
    const street = roadOf(word, pretype, name)
    return joined(houseNumberOf(random), maybe(random, directionOf(random, 'pre', oneLetter)), street)
  },
  'highway with a direction behind': (random) => {
    const name = String(2 + whole(random, 400))
    const [word, pretype] = pick(random, spacedHighways)
    const street = roadOf(word, pretype, name)
    return joined(houseNumberOf(random), street, directionOf(random, 'post', oneLetter))
  },
  'loop or spur': (random) => {
    const word = pick(random, ['Loop', 'Spur'])
    const name = String(10 + whole(random, 1600))
    const street = roadOf(word, word, name)
    return joined(houseNumberOf(random), maybe(random, directionOf(random, 'pre')), street)
  },
  'farm road of Texas': (random) => {
    const name = String(10 + whole(random, 3500))
    const word = pick(random, ['FM', 'F.M.', 'FM Road', 'Farm to Market Road', 'Farm to Market Rd', 'Ranch Road', 'RM'])
    const street = {
      text: `${word} ${name}`,
      parts: { pretype: word.startsWith('R') ? 'Ranch Road' : 'FM', street: name },
    }
    return joined(houseNumberOf(random), maybe(random, directionOf(random, 'pre', oneLetter)), street)
  },
  'unit behind the street': (random) => {
    const [text, unit] = unitOf(random)
    return joined(houseNumberOf(random), streetOf(random), { text, parts: { unit } })
  },
  'unit behind a comma': (random) => {
    const [text, unit] = unitOf(random)
    const { text: street, parts } = streetOf(random)
    return joined(houseNumberOf(random), { text: `${street},`, parts }, { text, parts: { unit } })
  },
  'unit behind a direction': (random) => {
    const [text, unit] = unitOf(random)
    return joined(houseNumberOf(random), streetOf(random), directionOf(random, 'post'), { text, parts: { unit } })
  },
  'unit behind a numbered road': (random) => {
    const [text, unit] = unitOf(random)
    const [word, pretype] = pick(random, spacedHighways)
    const name = String(2 + whole(random, 400))
    const street = roadOf(word, pretype, name)
    return joined(houseNumberOf(random), street, { text, parts: { unit } })
  },
  'bare letter behind a street type': (random) => {
    const letter = pick(random, [...'ABCDFGHJ'])
    return joined(houseNumberOf(random), streetOf(random, firmSuffixes), { text: letter, parts: { unit: letter } })
  },
  'unit with its side': (random) => {
    const unit = `${1 + whole(random, 60)} ${pick(random, [...'NSEW'])}`
    return joined(houseNumberOf(random), streetOf(random, firmSuffixes), { text: unit, parts: { unit } })
  },
  'unit twice': (random) => {
    const [a, b] = [`${1 + whole(random, 900)}`, `${1 + whole(random, 900)}`]
    const text = `Suite ${a} Ste ${b}`
    return joined(houseNumberOf(random), streetOf(random), { text, parts: { unit: `Ste ${a}` } })
  },
  'building behind the unit': (random) => {
    const number = `${1 + whole(random, 900)}`
    const text = `Ste ${number} ${pick(random, ['Burns Bldg', 'Harbor Building', 'S Bldg', 'Professional Center'])}`
    return joined(houseNumberOf(random), streetOf(random), { text, parts: { unit: `Ste ${number}` } })
  },
  'building behind a comma': (random) => {
    const { text, parts } = streetOf(random)
    const building = pick(random, ['West Hall', 'Harbor Tower', 'Sunrise Plaza', 'Burns Building'])
    return joined(houseNumberOf(random), { text: `${text},`, parts }, { text: building, parts: {} })
  },
  'unit between number and street': (random) => {
    const name = String(1 + whole(random, 3500))
    return joined(houseNumberOf(random), { text: `#${name}`, parts: { unit: `#${name}` } }, streetOf(random))
  },
  'unit ahead': (random) => {
    const name = String(1 + whole(random, 900))
    const [word, code] = pick(random, [
      ['Apt', 'Apt'],
      ['Suite', 'Ste'],
      ['Unit', 'Unit'],
      ['Apartment', 'Apt'],
    ])
    return joined(
      { text: `${word} ${name},`, parts: { unit: `${code} ${name}` } },
      houseNumberOf(random),
      streetOf(random),
    )
  },
  'name ahead of a comma': (random) =>
    joined({ text: `${pick(random, buildingNames)},`, parts: {} }, houseNumberOf(random), streetOf(random)),
  'firm ahead without a comma': (random) =>
    joined({ text: pick(random, firms), parts: {} }, houseNumberOf(random), streetOf(random, firmSuffixes)),
  'PO box beside the street': (random) => {
    const box = `${pick(random, ['PO Box', 'P.O. Box', 'P O Box', 'POB'])} ${1 + whole(random, 9000)}`
    const [number, street] = [houseNumberOf(random), streetOf(random)]
    return pick(random, [
      () => joined({ text: `${box},`, parts: {} }, number, street),
      () => joined(number, { ...street, text: `${street.text},` }, { text: box, parts: {} }),
      () => joined(number, street, { text: box, parts: {} }),
    ])()
  },
  'letter behind the number': (random) => {
    const [number, letter] = [1 + whole(random, 9000), pick(random, [...'ABCDFGH'])]
    return joined({ text: `${number}${letter}`, parts: { number: `${number}${letter}` } }, streetOf(random))
  },
  'letter apart from the number': (random) => {
    const [number, letter] = [1 + whole(random, 9000), pick(random, [...'ABCDFGH'])]
    const text = pick(random, [`${number} ${letter}`, `${number} ${letter}-`, `${number}-${letter}`])
    return joined({ text, parts: { number: `${number}${letter}` } }, streetOf(random, firmSuffixes))
  },
  'fraction behind the number': (random) => {
    const number = 1 + whole(random, 9000)
    const text = pick(random, [`${number} 1/2`, `${number}½`, `${number}-1/2`])
    return joined(
      { text, parts: { number: `${number} 1/2` } },
      maybe(random, directionOf(random, 'pre')),
      streetOf(random),
    )
  },
  'hyphen in the number': (random) => {
    const text = `${10 + whole(random, 89)}-${String(1 + whole(random, 999)).padStart(2, '0')}`
    return joined({ text, parts: { number: text } }, pick(random, [streetOf, ordinalOf])(random))
  },
  'zeros ahead of the number': (random) => {
    const text = `0${100 + whole(random, 800)}`
    return joined({ text, parts: { number: text } }, directionOf(random, 'pre'), streetOf(random))
  },
  'number in words': (random) => {
    const [word, number] = pick(random, [
      ['One', '1'],
      ['Two', '2'],
      ['Five', '5'],
      ['Ten', '10'],
    ])
    return joined({ text: word, parts: { number } }, streetOf(random, firmSuffixes))
  },
  'grid of Utah': (random) => {
    const [pre, post] = pick(random, [
      ['N', 'E'],
      ['S', 'W'],
      ['N', 'W'],
      ['S', 'E'],
      ['E', 'S'],
      ['W', 'N'],
    ]) as [string, string]
    const name = String(100 * (1 + whole(random, 90)))
    const number = String(10 + whole(random, 4000))
    const full: Record<string, string> = { N: 'North', S: 'South', E: 'East', W: 'West' }
    const text = pick(random, [
      `${number} ${pre} ${name} ${post}`,
      `${number} ${full[pre]} ${name} ${full[post]}`,
      `${number}${pre} ${name}${post}`,
    ])
    return { text, parts: { number, predirectional: pre, street: name, postdirectional: post } }
  },
  'grid of Wisconsin': (random) => {
    const [a, b] = [
      `${pick(random, [...'NS'])}${1 + whole(random, 200)}`,
      `${pick(random, [...'EW'])}${1000 + whole(random, 20000)}`,
    ]
    return joined({ text: pick(random, [`${a}${b}`, `${a} ${b}`]), parts: { number: `${a}${b}` } }, streetOf(random))
  },
  'block of a county grid': (random) => {
    const number = String(100 + whole(random, 9000))
    const name = String(50 * (1 + whole(random, 30)))
    const word = pick(random, ['County Road', 'CR', 'Co Rd'])
    const post = directionOf(random, 'post', oneLetter)
    return joined(
      { text: number, parts: { number } },
      directionOf(random, 'pre', oneLetter),
      { text: `${word} ${name}`, parts: { pretype: 'County Road', street: name } },
      post,
    )
  },
  ...crossingForms,
}

/** Makes an address of a form at a random town, in a random way to write the town and the letters. */
export function makeAddress(form: string, isPuertoRican: boolean, random: Random): MadeAddress {
  const { text, parts, crossing } = (isPuertoRican ? puertoRicanForms : addressForms)[form]!(random)
  const town = pick(random, isPuertoRican ? puertoRicanTowns : towns)
  const [style, write] = pick(random, Object.entries(isPuertoRican ? puertoRicanStyles : localityStyles))
  const locality = write(town)
  const letters = pick(random, [(it: string) => it, (it: string) => it.toUpperCase(), (it: string) => it.toLowerCase()])
  return {
    form: `${isPuertoRican ? 'Puerto Rico, ' : ''}${form} / ${style}`,
    text: letters(`${text}${locality.text}`),
    expected: { ...parts, ...locality.parts, ...(crossing && { crossing }) },
  }
}
