import { describe, expect, test } from 'bun:test'
import { findCoordinate } from '../../src/web/explore/search-options.ts'

const denver = { lat: 39.7392, lng: -104.9903 }
const nearDenver = ({ lat, lng }: { lat: number; lng: number }) =>
  Math.abs(lat - denver.lat) < 0.001 && Math.abs(lng - denver.lng) < 0.001

describe('a coordinate is read from', () => {
  test.each([
    '39.7392, -104.9903',
    '39.7392 -104.9903',
    '39.7392,-104.9903',
    '(39.7392, -104.9903)',
    '39.7392; -104.9903',
    '39.7392 / -104.9903',
    '39.7392N 104.9903W',
    '39.7392° N, 104.9903° W',
    'N39.7392 W104.9903',
    'N 39.7392, W 104.9903',
    '39°44′21″N 104°59′25″W',
    '39°44\'21"N, 104°59\'25"W',
    '39° 44\' 21.1" N 104° 59\' 25.1" W',
    "39°44.352'N 104°59.418'W",
    '39 44 21 N 104 59 25 W',
    '39 44.352 N, 104 59.418 W',
    '39º44’21”N 104º59’25”W',
    '13SED0083098810',
    '13S ED 00830 98810',
    '13s ed 0083 9881',
    '85FQP2Q5+MV',
    '85fqp2q5+mv',
    '85FQP2Q5+MV3',
    '85FQP2Q5+',
    'lat: 39.7392, lng: -104.9903',
    'Latitude 39.7392 Longitude -104.9903',
    '39.7392, −104.9903',
    'geo:39.7392,-104.9903;u=35',
    'POINT (-104.9903 39.7392)',
    'POINT(-104.9903 39.7392)',
    'https://maps.example/@39.7392,-104.9903,15z',
    'https://map.example/?q=39.7392,-104.9903',
    'https://map.example/#map=15/39.7392/-104.9903',
  ])('%s', (text) => {
    const read = findCoordinate(text)
    expect(read?.isSwapped).toBe(false)
    expect(read && nearDenver(read.at)).toBe(true)
  })

  test.each(['-104.9903, 39.7392', '104.9903W 39.7392N'])(
    'in a pair with longitude first, which is reported: %s',
    (text) => expect(findCoordinate(text)).toEqual({ at: denver, isSwapped: true }),
  )
})

test.each([
  '',
  'Denver',
  '39.7392',
  '1437 Bannock St, Denver, CO 80202',
  '39.7N 40.1N',
  '39°61′N 104°10′W',
  '39°10′60″N 104°10′W',
  '91, 181',
  '95, 95',
  'N39.7N W104.9',
  '80202-1234',
  '1e3, 4',
  '13SED',
  '13SED0198',
  '13SZZ0085698900',
  '61SED0085698900',
  '85FQP2+',
  'P2Q5+MV',
  '85FQ0000+',
  '100 N 200 W',
])('%p contains no coordinate', (text) => expect(findCoordinate(text)).toBeNull())
