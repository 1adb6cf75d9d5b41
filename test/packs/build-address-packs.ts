import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildAddresses, type AddressBuildResult } from '../../src/build-packs/addresses/build-addresses.ts'
import type { ZipLookup } from '../../src/build-packs/addresses/write-addresses.ts'

/** A point in the columns of OpenAddresses. */
export type PointText = {
  number: string
  street: string
  unit?: string
  city?: string
  region?: string
  postcode?: string
  lat: number
  lng: number
}

/** A line with the house numbers at the ends of its sides, in the columns of ADDRFEAT. */
export type LineText = {
  name: string
  line: [lng: number, lat: number][]
  left?: [from: string, to: string, parity?: string]
  right?: [from: string, to: string, parity?: string]
  zip?: string
}

export const newAddressFolder = () => mkdtempSync(join(tmpdir(), 'fieldstone-addresses-'))

/** Knows the ZIP codes of Denver and Boulder only. */
export const lookupTestZip: ZipLookup = (zip) =>
  zip.startsWith('802')
    ? { city: 'Denver', state: 'CO' }
    : zip.startsWith('803')
      ? { city: 'Boulder', state: 'CO' }
      : null

/** Builds a pack in the folder from points in OpenAddresses CSV. */
export function buildPointPack(
  folder: string,
  points: PointText[],
  name = 'addresses.sqlite',
  of: ZipLookup = lookupTestZip,
): Promise<AddressBuildResult> {
  const cell = (text = '') => `"${text.replaceAll('"', '""')}"`
  const csv = join(newAddressFolder(), 'points.csv')
  writeFileSync(
    csv,
    [
      'LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH',
      ...points.map(({ lng, lat, number, street, unit, city, region, postcode }) =>
        [lng, lat, cell(number), cell(street), cell(unit), cell(city), '', cell(region), cell(postcode), '', ''].join(
          ',',
        ),
      ),
    ].join('\n'),
  )
  return buildAddresses([csv], join(folder, name), { lookupZip: of })
}

/** Builds a pack in the folder from lines in ADDRFEAT form. */
export function buildRangePack(
  folder: string,
  lines: LineText[],
  name = 'address-ranges.sqlite',
): Promise<AddressBuildResult> {
  const file = join(newAddressFolder(), 'lines.geojson')
  writeFileSync(
    file,
    lines
      .map(({ name: FULLNAME, line, left, right, zip = '80202' }) =>
        JSON.stringify({
          type: 'Feature',
          geometry: { type: 'LineString', coordinates: line },
          properties: {
            FULLNAME,
            LFROMHN: left?.[0] ?? null,
            LTOHN: left?.[1] ?? null,
            RFROMHN: right?.[0] ?? null,
            RTOHN: right?.[1] ?? null,
            PARITYL: left?.[2] ?? null,
            PARITYR: right?.[2] ?? null,
            ZIPL: left ? zip : null,
            ZIPR: right ? zip : null,
          },
        }),
      )
      .join('\n'),
  )
  return buildAddresses([file], join(folder, name), { lookupZip: lookupTestZip })
}
