import { expect, test } from 'bun:test'
import { randomOf } from '../../scripts/bench/random.ts'
import type { AddressComponents, ParsedAddress } from '../../src/address/address.ts'
import { isSameNumber } from '../../src/address/house-number.ts'
import { createAddressParser } from '../../src/address/parse-address.ts'
import { streetKeyOf } from '../../src/address/street-key.ts'
import { normalizeWords } from '../../src/address/tokenizer.ts'
import { townKeyOf } from '../../src/address/town.ts'
import { realGazetteer } from '../support/real-gazetteer.ts'
import { addressForms, makeAddress, type MadeAddress } from './address-grammar.ts'
import { puertoRicanForms } from './puerto-rican-forms.ts'

const seed = 20_261_129
const perForm = 100
const parse = createAddressParser(realGazetteer())

/** The names of the parts in which a parsed address is not as it was made. */
function wrongPartsOf(found: ParsedAddress, expected: MadeAddress['expected']): string[] {
  const isSame: Record<string, boolean> = {
    number: isSameNumber(found.number ?? '', expected.number ?? ''),
    street: isSameStreet(found, expected),
    crossing: isSameStreet(found.crossing ?? {}, expected.crossing ?? {}),
    unit: (found.unit ?? '').toUpperCase() === (expected.unit ?? '').toUpperCase(),
    city: townOf(found) === townOf(expected),
    state: found.state === expected.state,
    zip: found.zip === expected.zip,
  }
  return Object.keys(isSame).filter((part) => !isSame[part])
}

function isSameStreet(a: AddressComponents, b: AddressComponents): boolean {
  return JSON.stringify(streetKeyOf(a)) === JSON.stringify(streetKeyOf(b))
}

function townOf({ city = '' }: AddressComponents): string {
  return townKeyOf(normalizeWords(city))
}

test('98.5 % of the addresses of a grammar are read as they were made', () => {
  const random = randomOf(seed)
  const made = [
    ...Object.keys(addressForms).flatMap((form) => repeat(() => makeAddress(form, false, random))),
    ...Object.keys(puertoRicanForms).flatMap((form) => repeat(() => makeAddress(form, true, random))),
  ]
  const wrong = made.flatMap((it) => {
    const parts = wrongPartsOf(parse(it.text), it.expected)
    return parts.length > 0 ? [`${it.form}: ${JSON.stringify(it.text)} (${parts.join()})`] : []
  })
  expect(made.length).toBeGreaterThan(2_000)
  expect(wrong.length < 0.015 * made.length ? [] : wrong).toEqual([])
})

function repeat<T>(make: () => T): T[] {
  return Array.from({ length: perForm }, make)
}
