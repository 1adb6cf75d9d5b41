import type { GeometryPart } from '../../geo/text/wkb-write.ts'
import type { CellReader, AddressRecord } from './address-record.ts'

/** How to identify and read the files of a publisher. */
export type AddressPublisher = {
  name: string
  /** Columns that together appear in no other publisher's files. */
  requiredColumns: readonly string[]
  read(cell: CellReader, parts: readonly GeometryPart[]): AddressRecord[]
}

/** National Address Database, release 23: text with one address point per row. */
const nationalAddressDatabase: AddressPublisher = {
  name: 'National Address Database',
  requiredColumns: ['ADD_NUMBER', 'ST_NAME', 'LONGITUDE', 'LATITUDE'],
  read(cell) {
    if (/^retired$/i.test(cell('LIFECYCLE'))) return [excludedRecord('retired')]
    const number = cell('ADDNO_FULL') || `${cell('ADDNUM_PRE')}${cell('ADD_NUMBER')} ${cell('ADDNUM_SUF')}`.trim()
    const street =
      cell('STNAM_FULL') ||
      ['ST_PREMOD', 'ST_PREDIR', 'ST_PRETYP', 'ST_PRESEP', 'ST_NAME', 'ST_POSTYP', 'ST_POSDIR', 'ST_POSMOD']
        .map(cell)
        .filter((part) => part !== '')
        .join(' ')
    const unit = cell('UNIT') || cell('SUBADDRESS')
    const city =
      ['POST_CITY', 'INC_MUNI', 'UNINC_COMM', 'CENSUS_PLC']
        .map(cell)
        .find((name) => name !== '' && !notTown.test(name)) ?? ''
    return [
      pointRecord({ number, street, unit, city, state: cell('STATE'), zip: cell('ZIP_CODE') }, [
        Number(cell('LONGITUDE') || NaN),
        Number(cell('LATITUDE') || NaN),
      ]),
    ]
  },
}

/** OpenAddresses: CSV (LON, LAT, …) or GeoJSON with one address point per row. */
const openAddresses: AddressPublisher = {
  name: 'OpenAddresses',
  requiredColumns: ['NUMBER', 'STREET', 'POSTCODE'],
  read(cell, parts) {
    const [point] = parts
    const at = point?.kind === 'point' ? point.paths[0]! : [Number(cell('LON') || NaN), Number(cell('LAT') || NaN)]
    const town = cell('CITY')
    return [
      pointRecord(
        {
          number: cell('NUMBER'),
          street: cell('STREET'),
          unit: cell('UNIT'),
          city: notTown.test(town) ? '' : town,
          state: cell('REGION'),
          zip: cell('POSTCODE'),
        },
        at,
      ),
    ]
  },
}

/** TIGER/Line ADDRFEAT: one line per row, with the house numbers at the ends of each side. */
const addressRanges: AddressPublisher = {
  name: 'TIGER/Line ADDRFEAT',
  requiredColumns: ['FULLNAME', 'LFROMHN', 'LTOHN', 'RFROMHN', 'RTOHN', 'ZIPL', 'ZIPR'],
  read(cell, parts) {
    const [line] = parts
    if (line?.kind !== 'line' || parts.length > 1 || line.paths[0]!.length < 4) return [excludedRecord('no line')]
    const sides = (['L', 'R'] as const).flatMap((side): AddressRecord[] => {
      const [from, to] = [cell(`${side}FROMHN`), cell(`${side}TOHN`)]
      if (from === '' || to === '') return []
      return [
        {
          kind: 'side',
          street: cell('FULLNAME'),
          from,
          to,
          side,
          parity: cell(`PARITY${side}`),
          zip: cell(`ZIP${side}`),
          state: '',
          line: line.paths[0]!,
        },
      ]
    })
    return sides.length > 0 ? sides : [excludedRecord('no numbers')]
  },
}

/** The supported publishers. */
export const addressPublishers: readonly AddressPublisher[] = [nationalAddressDatabase, openAddresses, addressRanges]

const notTown = /^(?:unincorporated|not stated|unknown|none|n\/?a)\b/i

function pointRecord(
  parts: { number: string; street: string; unit: string; city: string; state: string; zip: string },
  [lng = NaN, lat = NaN]: readonly number[],
): AddressRecord {
  return Number.isFinite(lat) && Number.isFinite(lng)
    ? { kind: 'point', ...parts, lat, lng }
    : excludedRecord('no coordinate')
}

function excludedRecord(reason: string): AddressRecord {
  return { kind: 'excluded', reason }
}
