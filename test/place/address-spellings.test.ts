import { beforeAll, describe, expect, test } from 'bun:test'
import rrad from 'rrad/addresses-us-all.json'
import { randomOf } from '../../scripts/bench/random.ts'
import type { AddressMatch, AddressComponents } from '../../src/address/address.ts'
import { formatStreet } from '../../src/address/format-address.ts'
import { streetKeyOf } from '../../src/address/street-key.ts'
import { distanceBetween_m } from '../../src/geo/ecef.ts'
import { openAddressPackFolder } from '../../src/packs/addresses/address-pack-folder.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { createAddressReader } from '../../src/place/address-reader.ts'
import type { GeocodeOutcome } from '../../src/place/geocode-outcome.ts'
import { createLocalGeocoder, type LocalGeocoder } from '../../src/place/local-geocoder.ts'
import { chooseReading } from '../../src/place/match-scoring.ts'
import { buildPointPack, newAddressFolder } from '../packs/build-address-packs.ts'
import { embeddedFile } from '../support/test-service.ts'

const seed = 20_261_128
const reader = createAddressReader(openEmbeddedData(embeddedFile))

type Row = { number: string; street: string; city: string; state: string; zip: string; lat: number; lng: number }
type Random = () => number
const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)]!

const realRows: Row[] = rrad.addresses
  .filter(({ address1, city }) => /^\d+ /.test(address1) && city !== undefined)
  .map(({ address1, city, state, postalCode, coordinates }) => {
    const [number = ''] = address1.split(' ')
    return { number, street: address1.slice(number.length + 1), city: city!, state, zip: postalCode, ...coordinates }
  })

const textOf = ({ number, street, city, state, zip }: Row) => `${number} ${street}, ${city}, ${state} ${zip}`
const partsOf = (row: Row): AddressComponents => reader.scoring.parse(textOf(row))
function keyOf(row: Row): string {
  return JSON.stringify([row.number.toUpperCase(), streetKeyOf(partsOf(row)), row.zip])
}

/** Streets that differ in a direction, a letter or a number, at random real places. */
function* makeRows(random: Random): Generator<Row> {
  for (;;) {
    const direction = pick(random, ['N ', 'S ', 'E ', 'W ', 'NW ', 'SE ', ''])
    const street = pick(random, [
      `Avenue ${pick(random, [...'BCDFGHJKLM'])}`,
      `County Road ${pick(random, [...'ABCDGHY'])}`,
      `${20 + Math.floor(random() * 60)}th ${pick(random, ['Ave', 'St', 'Ct'])}`,
      `${pick(random, ['State Road', 'US Highway', 'FM'])} ${1 + Math.floor(random() * 400)}`,
      `${pick(random, ['Oak', 'Main', 'Park View'])} ${pick(random, ['Ave', 'St', 'Rd', 'Ct'])}`,
    ])
    const number = String(100 + Math.floor(random() * 900))
    yield { ...pick(random, realRows), number, street: `${direction}${street}` }
  }
}

const opposites: Record<string, string> = { N: 'S', S: 'N', E: 'W', W: 'E', NE: 'SW', NW: 'SE', SE: 'NW', SW: 'NE' }
const otherTypes = ['Ave', 'St', 'Rd', 'Ct', 'Ln']

/** Changes of a row to another street or house; null if the row does not have the part. */
const changes = {
  'the opposite direction': (row) => {
    const parts = partsOf(row)
    const [side, direction] = parts.predirectional
      ? (['predirectional', parts.predirectional] as const)
      : (['postdirectional', parts.postdirectional] as const)
    return direction && parts.street
      ? { ...row, street: formatStreet({ ...parts, [side]: opposites[direction.toUpperCase()] }) }
      : null
  },
  'another street type': (row, random) => {
    const parts = partsOf(row)
    const suffix = pick(random, otherTypes)
    const isOther = parts.suffix !== undefined && parts.suffix !== suffix && parts.pretype === undefined
    return isOther ? { ...row, street: formatStreet({ ...parts, suffix }) } : null
  },
  'another road letter': (row, random) => {
    const parts = partsOf(row)
    const street = pick(random, [...'NPRTUVZ'])
    return parts.pretype && /^[A-Z]$/.test(parts.street ?? '')
      ? { ...row, street: formatStreet({ ...parts, street }) }
      : null
  },
  'another number of the street': (row) => {
    const parts = partsOf(row)
    const number = /^\d+/.exec(parts.street ?? '')?.[0]
    return number === undefined ? null : { ...row, street: row.street.replace(number, `9${number}`) }
  },
  'zeros ahead of the house number': (row) => ({ ...row, number: `0${row.number}` }),
  'a town and the ZIP code of another': (row, random) => {
    const other = pick(random, realRows)
    return other.state === row.state && distanceBetween_m(other, row) > 100_000 ? { ...row, zip: other.zip } : null
  },
} satisfies Record<string, (row: Row, random: Random) => Row | null>

let geocode: LocalGeocoder
let rows: Row[] = []
const known = new Set<string>()

/** The rows whose key no other has. */
function addRows(all: Iterable<Row | null>, count: number): void {
  for (const row of all) {
    if (count === 0) return
    if (!row || known.has(keyOf(row))) continue
    known.add(keyOf(row))
    rows.push(row)
    count--
  }
}

beforeAll(async () => {
  const random = randomOf(seed)
  addRows(realRows, realRows.length)
  addRows(makeRows(random), 2_000)
  // Each of the others is beside a row that differs from it in one part.
  const { 'a town and the ZIP code of another': _, ...neighbors } = changes
  const beside = rows.map((row): Row | null => {
    const changed = pick(random, Object.values(neighbors))(row, random)
    return changed && { ...changed, lat: row.lat + 0.02 }
  })
  addRows(beside, beside.length)
  const folder = newAddressFolder()
  const points = rows.map(({ state, zip, ...row }) => ({ ...row, region: state, postcode: zip }))
  await buildPointPack(folder, points, 'addresses.sqlite', reader.gazetteer.placeOfZip)
  geocode = createLocalGeocoder({ reader, packs: openAddressPackFolder(folder), isOnlyGeocoder: true })
})

const outcomeOf = (text: string) => geocode(text)!.outcome

/** The usual ways to write an address. */
const ways: Record<string, (row: Row) => string> = {
  'as in the file': textOf,
  'in capitals': (row) => textOf(row).toUpperCase(),
  'in small letters': (row) => textOf(row).toLowerCase(),
  'on two lines': ({ number, street, city, state, zip }) => `${number} ${street}\n${city}, ${state} ${zip}`,
  'with a ZIP+4': (row) => `${textOf(row)}-1234`,
  'with the country': (row) => `${textOf(row)}, USA`,
  'with an apartment': (row) => textOf({ ...row, street: `${row.street} Apt 4` }),
  'with a suite': (row) => textOf({ ...row, street: `${row.street} STE-106` }),
  'with a number sign': (row) => textOf({ ...row, street: `${row.street} #12` }),
  'with a building ahead': (row) => `Harbor Tower, ${textOf(row)}`,
  'with double spaces': (row) => textOf(row).replaceAll(' ', '  '),
  'with a period behind each word': (row) =>
    textOf({ ...row, street: row.street.replaceAll(/(?<=[a-z])(?= |$)/g, '.') }),
}

describe('every row of a pack is found by its own text, and never taken for one that differs in a part', () => {
  test.each(Object.entries(ways))('%s', (_name, write) => {
    const missed = rows.flatMap((row) => {
      const outcome = outcomeOf(write(row))
      return 'rejected' in outcome || distanceBetween_m(outcome, row) > 150 ? [[write(row), outcome]] : []
    })
    expect(missed).toEqual([])
  })
})

/** The outcome of a text if the Census geocoder gives this row as its match. */
function outcomeOfCensus(text: string, row: Row): GeocodeOutcome {
  const { lat, lng } = row
  const match: AddressMatch = {
    lat,
    lng,
    accuracy_type: 'range_interpolation',
    score: null,
    normalized_address: textOf(row),
    components: partsOf(row),
  }
  const census = { name: 'census', scoresParts: false }
  return chooseReading(reader.scoring.parse(text), () => [match], census, reader.scoring)
}

describe('of 1,000 addresses that no row has, none is accepted', () => {
  test.each(Object.entries(changes))('with %s', (_name, change) => {
    const random = randomOf(seed)
    const changed = new Map<string, Row>()
    const acceptedFromCensus: string[] = []
    for (let tries = 0; changed.size < 1_000 && tries < 200_000; tries++) {
      const found = pick(random, rows)
      const row = change(found, random)
      if (!row || known.has(keyOf(row))) continue
      changed.set(keyOf(row), row)
      if (!('rejected' in outcomeOfCensus(textOf(row), found))) acceptedFromCensus.push(textOf(row))
    }
    expect(changed.size).toBe(1_000)
    expect([...changed.values()].map(textOf).filter((text) => !('rejected' in outcomeOf(text)))).toEqual([])
    expect(acceptedFromCensus).toEqual([])
  })
})
