import { beforeAll, describe, expect, test } from 'bun:test'
import rrad from 'rrad/addresses-us-all.json'
import { randomOf } from '../../scripts/bench/random.ts'
import { formatStreet } from '../../src/address/format-address.ts'
import { distanceBetween_m } from '../../src/geo/ecef.ts'
import { openAddressPackFolder } from '../../src/packs/addresses/address-pack-folder.ts'
import { openEmbeddedData } from '../../src/packs/embedded/embedded-data.ts'
import { createAddressReader } from '../../src/place/address-reader.ts'
import { createLocalGeocoder, type LocalGeocoder } from '../../src/place/local-geocoder.ts'
import { buildPointPack, newAddressFolder } from '../packs/build-address-packs.ts'
import { embeddedFile } from '../support/test-service.ts'

const seed = 20_261_128
const reader = createAddressReader(openEmbeddedData(embeddedFile))

type Row = { number: string; street: string; city: string; state: string; zip: string; lat: number; lng: number }
const rows: Row[] = rrad.addresses
  .filter(({ address1, city }) => /^\d+ /.test(address1) && city !== undefined)
  .map(({ address1, city, state, postalCode, coordinates }) => {
    const [number = ''] = address1.split(' ')
    return { number, street: address1.slice(number.length + 1), city: city!, state, zip: postalCode, ...coordinates }
  })

let geocode: LocalGeocoder

beforeAll(async () => {
  const folder = newAddressFolder()
  const points = rows.map(({ state, zip, ...row }) => ({ ...row, region: state, postcode: zip }))
  await buildPointPack(folder, points, 'addresses.sqlite', reader.gazetteer.placeOfZip)
  geocode = createLocalGeocoder({ reader, packs: openAddressPackFolder(folder), isOnlyGeocoder: true })
})

const textOf = ({ number, street, city, state, zip }: Row) => `${number} ${street}, ${city}, ${state} ${zip}`
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

describe('every row of a pack is found by its own text', () => {
  test.each(Object.entries(ways))('%s', (_name, write) => {
    const missed = rows
      .filter((_, i) => i % 3 === 0)
      .flatMap((row) => {
        const outcome = outcomeOf(write(row))
        return 'rejected' in outcome || distanceBetween_m(outcome, row) > 150 ? [[write(row), outcome]] : []
      })
    expect(missed).toEqual([])
  })
})

const isKnown = new Set(rows.map((row) => keyOf(row, row.street)))
function keyOf({ number, zip }: Row, street: string): string {
  return `${number} ${street} ${zip}`.toUpperCase()
}

/** Up to 1,000 changes of random rows to another place. */
function changesOf(change: (row: Row, random: () => number) => Row | null): Row[] {
  const random = randomOf(seed)
  const changed: Row[] = []
  for (let tries = 0; changed.length < 1_000 && tries < 200_000; tries++) {
    const row = change(rows[Math.floor(random() * rows.length)]!, random)
    if (row && !isKnown.has(keyOf(row, row.street))) changed.push(row)
  }
  return changed
}

const opposites: Record<string, string> = { N: 'S', S: 'N', E: 'W', W: 'E', NE: 'SW', NW: 'SE', SE: 'NW', SW: 'NE' }
const otherTypes = ['Ave', 'St', 'Rd', 'Ct', 'Ln']

describe('an address at another place is never accepted', () => {
  test('in the opposite direction', () => {
    const changed = changesOf((row) => {
      const { text: _, ...parts } = reader.scoring.parse(textOf(row))
      const direction = parts.predirectional ?? parts.postdirectional
      if (direction === undefined || !parts.street) return null
      const other = opposites[direction.toUpperCase()]!
      const street = parts.predirectional ? { ...parts, predirectional: other } : { ...parts, postdirectional: other }
      return { ...row, street: formatStreet(street) }
    })
    expect(changed.length).toBeGreaterThan(100)
    expect(changed.filter((row) => !('rejected' in outcomeOf(textOf(row)))).map(textOf)).toEqual([])
  })

  test('on a street of another type', () => {
    const changed = changesOf((row, random) => {
      const { text: _, ...parts } = reader.scoring.parse(textOf(row))
      const suffix = otherTypes[Math.floor(random() * otherTypes.length)]!
      if (parts.suffix === undefined || parts.suffix === suffix || parts.pretype !== undefined) return null
      return { ...row, street: formatStreet({ ...parts, suffix }) }
    })
    expect(changed.length).toBe(1_000)
    expect(changed.filter((row) => !('rejected' in outcomeOf(textOf(row)))).map(textOf)).toEqual([])
  })

  test('with the town of one place and the ZIP code of another', () => {
    const changed = changesOf((row, random) => {
      const other = rows[Math.floor(random() * rows.length)]!
      return other.state === row.state && distanceBetween_m(other, row) > 100_000 ? { ...row, zip: other.zip } : null
    })
    expect(changed.length).toBe(1_000)
    expect(changed.filter((row) => !('rejected' in outcomeOf(textOf(row)))).map(textOf)).toEqual([])
  })
})
