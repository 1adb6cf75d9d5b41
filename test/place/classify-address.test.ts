import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import rrad from 'rrad/addresses-us-all.json'
import { createAddressClassifier } from '../../src/place/classify-address.ts'
import { createAddressParser } from '../../src/address/parse-address.ts'
import { realGazetteer } from '../support/real-gazetteer.ts'

const gazetteer = realGazetteer()
const kindOf = createAddressClassifier(gazetteer, createAddressParser(gazetteer))

describe('coordinates', () => {
  const denver = { kind: 'coordinates', lat: 39.74, lng: -104.99 } as const
  test.each([
    '39.74,-104.99',
    '39.74 -104.99',
    '(39.74, -104.99)',
    'lat: 39.74, lng: -104.99',
    'N39.74 W104.99',
    '39.74N 104.99W',
    '39.74° N, 104.99° W',
    '39,74; -104,99'.replaceAll(',', '.'),
    '+39.74, −104.99',
  ])('%s', (text) => expect(kindOf(text)).toEqual(denver))
  test.each([`39°44'24"N 104°59'24"W`, '39 44 24 N, 104 59 24 W', '39°44.4′N 104°59.4′W'])('%s', (text) => {
    expect(kindOf(text)).toEqual(denver)
  })
  test.each(['-104.99, 39.74', '104.99W 39.74N', 'lng: -104.99, lat: 39.74', '-104.99 39.74'])(
    'longitude first is swapped, with the right order as the suggestion: %s',
    (text) => expect(kindOf(text)).toEqual({ kind: 'swapped', lat: 39.74, lng: -104.99, suggestion: '39.74, -104.99' }),
  )
  test('a coordinate outside the United States is a coordinate', () => {
    expect(kindOf('51.5, -0.12')).toEqual({ kind: 'coordinates', lat: 51.5, lng: -0.12 })
  })
  test.each(['100 200', '39.74', '39.74, -104.99, 5', '39.74N 40.1N', 'Main St 39.74'])(
    'not a coordinate: %s',
    (text) => expect(kindOf(text).kind).not.toBe('coordinates'),
  )
})

describe('texts without a location in the United States', () => {
  const cases: [text: string, expected: ReturnType<typeof kindOf>][] = [
    ['APN 123-45-678', { kind: 'parcel' }],
    ['Parcel Number: 0512-34-567', { kind: 'parcel' }],
    ['0512-34-567-000', { kind: 'parcel' }],
    ['R0123456', { kind: 'parcel' }],
    ['05 12 345 6789', { kind: 'parcel' }],
    ['001 016900100', { kind: 'parcel' }],
    ['123.45-6-7', { kind: 'parcel' }],
    ['802021234', { kind: 'parcel' }],
    ['PO Box 123, Denver CO 80202', { kind: 'unsupported', type: 'po_box' }],
    ['P.O. Box 5', { kind: 'unsupported', type: 'po_box' }],
    ['P O BOX 5 DENVER CO', { kind: 'unsupported', type: 'po_box' }],
    ['Post Office Box 5, Denver, CO', { kind: 'unsupported', type: 'po_box' }],
    ['POB 5, Denver, CO', { kind: 'unsupported', type: 'po_box' }],
    ['RR 2 Box 15, Ludlow VT', { kind: 'unsupported', type: 'po_box' }],
    ['HC 1 Box 15, Ely NV', { kind: 'unsupported', type: 'po_box' }],
    ['PSC 3 Box 1234, APO AE 09021', { kind: 'unsupported', type: 'military' }],
    ['Unit 2050 Box 4190 APO AP 96278', { kind: 'unsupported', type: 'military' }],
    ['USS Nimitz, FPO AP 96620', { kind: 'unsupported', type: 'military' }],
    ['Unit 8400, DPO AE 09498', { kind: 'unsupported', type: 'military' }],
    ['General Delivery, Denver CO', { kind: 'unsupported', type: 'general_delivery' }],
    ['24 Sussex Dr, Ottawa, ON K1M 1M4', { kind: 'foreign', country: 'Canada' }],
    ['24 Sussex Dr, Ottawa, ON', { kind: 'foreign', country: 'Canada' }],
    ['100 King St, Toronto, Canada', { kind: 'foreign', country: 'Canada' }],
    ['1 Main St, Victoria, British Columbia', { kind: 'foreign', country: 'Canada' }],
    ['Av Juarez 10, Ciudad de Mexico, Mexico', { kind: 'foreign', country: 'Mexico' }],
    ['Av. Juárez 10, Ciudad de México, México', { kind: 'foreign', country: 'Mexico' }],
    ['1 Harbor St Toronto ON', { kind: 'foreign', country: 'Canada' }],
    ['Toronto ON', { kind: 'foreign', country: 'Canada' }],
    ['Vancouver BC', { kind: 'foreign', country: 'Canada' }],
    ['12 Harbor St, Vancouver BC', { kind: 'foreign', country: 'Canada' }],
    ['12 Harbor St Toronto Ontario', { kind: 'foreign', country: 'Canada' }],
    ['12 Rue du Port Paris France', { kind: 'foreign', country: 'France' }],
    ['Rua do Porto, 65, Santos - SP, 18180-000, Brazil', { kind: 'foreign', country: 'Brazil' }],
    ['Calle Luna 12, Lima, Peru', { kind: 'foreign', country: 'Peru' }],
    ['Lima, Peru', { kind: 'foreign', country: 'Peru' }],
    ['12 Main St, Peru', { kind: 'address' }],
    ['12 Main St, Apt 4, Peru', { kind: 'address' }],
    ['Harbor Tower, 12 Main St, Brazil', { kind: 'address' }],
    ['12 Main St, Ontario, CA', { kind: 'address' }],
    ['12 Main St AB, Denver, CO', { kind: 'address' }],
    ['10 Downing Street, London SW1A 2AA', { kind: 'foreign', country: 'the United Kingdom' }],
    ['5 Rue de Rivoli, Paris, France', { kind: 'foreign', country: 'France' }],
    ['東京都千代田区', { kind: 'foreign', country: 'another country' }],
    ['ул. Ленина 1, Москва', { kind: 'foreign', country: 'another country' }],
  ]
  test.each(cases)('%s', (text, expected) => expect(kindOf(text)).toEqual(expected))
})

describe('too vague', () => {
  const cases: [text: string, level: string][] = [
    ['80202', 'zip'],
    ['80202-1234', 'zip'],
    ['Denver, CO 80202', 'zip'],
    ['00926', 'zip'],
    ['Denver', 'city'],
    ['Denver, CO', 'city'],
    ['new york, new york', 'city'],
    ['Paris, TX', 'city'],
    ['Ontario, CA', 'city'],
    ['Colorado', 'state'],
    ['CO', 'state'],
    ['Main Street, Denver, CO', 'street'],
    ['123 Main St', 'none'],
    ['Main St', 'none'],
    ['xyzzy', 'none'],
    ['123', 'none'],
    ['', 'none'],
    ['#', 'none'],
  ]
  test.each(cases)('%s', (text, matched_level) => {
    expect(kindOf(text)).toEqual({ kind: 'vague', matched_level } as ReturnType<typeof kindOf>)
  })
})

describe('addresses that resemble something else', () => {
  test.each([
    '123 Main St, PO Box 5, Denver, CO',
    '123 Main St, Mexico, MO 65265',
    '123 Main St, Mexico Beach, FL',
    '1 Main St, Lebanon, TN',
    '100 Peachtree St, Atlanta, Georgia',
    '123 Main St Ontario CA',
    '5th Ave & 42nd St, New York, NY',
    'B-12 Calle 5, San Juan PR 00926',
    'N6W23001 Bluemound Rd, Waukesha, WI',
    '100 General St, Denver, CO',
    '100 Box Elder Rd, Rapid City, SD',
    '12 County Road 500 E, Champaign, IL',
    '1 Canada St, Lake George, NY 12845',
    '10 R St NW, Washington, DC',
  ])('%s', (text) => expect(kindOf(text)).toEqual({ kind: 'address' }))
  test('every real address of rrad is an address or a street without a number', () => {
    for (const { address1, address2, city, state, postalCode } of rrad.addresses as {
      address1: string
      address2: string
      city?: string
      state: string
      postalCode: string
    }[]) {
      const text = [address1, address2, city, `${state} ${postalCode}`].filter((part) => part).join(', ')
      expect([text, kindOf(text)]).toEqual([
        text,
        /^\d/.test(address1) ? { kind: 'address' } : { kind: 'vague', matched_level: 'street' },
      ])
    }
  })
})

test('every text has a kind', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'grapheme', maxLength: 256 }), fc.stringMatching(/^[0-9NSEW°'".,: -]{0,40}$/)),
      (text) => {
        expect(kindOf(text).kind).toBeString()
      },
    ),
    { seed: 20_261_121, numRuns: 1_000 },
  )
})
