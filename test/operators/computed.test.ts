import { describe, expect, test } from 'bun:test'
import type { Value } from '../../src/model/source.ts'
import { computedOperator } from '../../src/operators/computed.ts'
import { fieldQuery, fakeBudget, rejectionMessage } from './fakes.ts'

type Args = Parameters<typeof computedOperator.run>[0]
const evaluateComputed = async (args: Args, inputs: Record<string, Value>) =>
  computedOperator.run(args, null, { ...fieldQuery, inputs }, fakeBudget)
const at = (name: NonNullable<Args['function']>, lat: number, lng: number, settings: Args['arguments'] = {}) =>
  evaluateComputed({ function: name, arguments: settings }, { lat, lng })

describe('computed', () => {
  test('is a formula over its inputs', async () => {
    expect(
      await evaluateComputed(
        { expression: '1000000 * population / land_m2' },
        { population: 4000, land_m2: 2_000_000 },
      ),
    ).toBe(2000)
    expect(
      await rejectionMessage(evaluateComputed({ expression: 'population / area' }, { population: 4000 })),
    ).toContain('unknown name area. Known names: population')
  })

  test('a function without a point is null, and without a required argument is a catalog error', async () => {
    expect(await evaluateComputed({ function: 'geohash' }, { lat: null, lng: 1 })).toBeNull()
    expect(await rejectionMessage(at('day_length', 40, -105))).toContain(
      'Invalid argument season: undefined. Expected winter or summer.',
    )
    expect(await rejectionMessage(at('h3', 40, -105, { resolution: 1.5 }))).toContain('Expected an integer.')
    expect(await rejectionMessage(evaluateComputed({}, {}))).toContain(
      'The operation has no `expression` or `function`.',
    )
  })
})

describe('the level of a hazard curve', () => {
  const settings = { annual_rate: 0.001, measure: 'PGA', component: 'Total' }
  const curve = { levels: '0.1,1,10', rates: '0.1,0.01,0.0001', measure: 'PGA', component: 'Total' }
  const levelOf = (inputs: Record<string, Value>) =>
    evaluateComputed({ function: 'hazard_curve_level', arguments: settings }, { ...curve, ...inputs })

  test('is interpolated on logarithmic scales', async () => {
    expect(await levelOf({})).toBeCloseTo(Math.sqrt(10), 9)
    expect(await levelOf({ levels: null })).toBeNull()
  })

  test.each([
    ['a curve of another measure', { measure: 'SA1P0' }, 'PGA'],
    ['a curve of one source', { component: 'Fault' }, 'Total'],
    ['a curve that does not reach the rate', { rates: '0.1,0.01,0.002' }, 'Expected one that reaches the rate 0.001'],
    ['fewer rates than levels', { rates: '0.1,0.0001' }, '3 levels and 2 rates'],
  ])('fails for %s', async (_, inputs, message) => expect(await rejectionMessage(levelOf(inputs))).toContain(message))
})

describe('grid references', () => {
  // From PROJ 9.1.1: proj +proj=utm +zone=N +ellps=WGS84. Karney's is the example of his GeoConvert.
  test.each([
    ['Denver', 39.74, -104.99, '13N', 500_856.825_606, 4_398_900.458_589, 32_613],
    ['Pago Pago', -14.28, -170.7, '2S', 532_357.754_108, 8_421_285.828_833, 32_702],
    ['Utqiagvik', 71.29, -156.79, '4N', 579_107.416_894, 7_911_186.156_479, 32_604],
    ['Key West', 24.55, -81.78, '17N', 421_004.566_14, 2_715_344.806_871, 32_617],
    ['Guam', 13.47, 144.79, '55N', 260_750.335_465, 1_490_187.393_261, 32_655],
    ['Puerto Rico', 18.2208, -66.5901, '19N', 754_859.802_204, 2_016_290.876_126, 32_619],
    ['Fairbanks', 64.8378, -147.7164, '6N', 466_012.823_062, 7_190_570.232_748, 32_606],
    ['the edge of a zone', 44, -108.0001, '12N', 740_518.303_246, 4_876_248.835_073, 32_612],
    ['Karney', 33.3, 44.4, '38N', 444_140.544_9, 3_684_706.355_5, 32_638],
  ])('UTM at %s agrees with PROJ', async (_, lat, lng, zone, easting, northing, epsg) => {
    expect(await at('utm_zone', lat, lng)).toBe(zone)
    expect(await at('utm_easting', lat, lng)).toBeCloseTo(easting, 3)
    expect(await at('utm_northing', lat, lng)).toBeCloseTo(northing, 3)
    expect(await at('utm_epsg', lat, lng)).toBe(`EPSG:${epsg}`)
  })

  test.each([
    [0, '31N', 32_631],
    [-180, '1N', 32_601],
    [180, '60N', 32_660],
    [5.9, '31N', 32_631],
  ])('zones are six degrees wide, without the exceptions of Norway: at %p', async (lng, zone, epsg) => {
    expect(await at('utm_zone', 60, lng)).toBe(zone)
    expect(await at('utm_epsg', 60, lng)).toBe(`EPSG:${epsg}`)
  })

  test.each([
    [39.74, -104.99],
    [44, -108.0001],
    [-14.28, -170.7],
    [71.29, -156.79],
  ])('convergence at %p, %p is the rotation of a short northward segment', async (lat, lng) => {
    const east = Number(await at('utm_easting', lat + 1e-5, lng)) - Number(await at('utm_easting', lat - 1e-5, lng))
    const north = Number(await at('utm_northing', lat + 1e-5, lng)) - Number(await at('utm_northing', lat - 1e-5, lng))
    expect(Number(await at('grid_convergence', lat, lng))).toBeCloseTo((Math.atan2(-east, north) * 180) / Math.PI, 5)
  })

  test('the National Grid is the Military Grid with spaces, truncated to the meter', async () => {
    expect(await at('mgrs', 39.74, -104.99, { precision: 5 })).toBe('13SED0085698900')
    expect(await at('mgrs', 39.74, -104.99, { precision: 3 })).toBe('13SED008989')
    expect(await at('usng', 39.74, -104.99)).toBe('13S ED 00856 98900')
    expect(await at('usng', -14.28, -170.7)).toBe('2L NK 32357 21285')
  })

  test.each([
    ['geohash', { precision: 9 }, '9xj64fkw7'],
    ['h3', { resolution: 9 }, '89268cda803ffff'],
    ['open_location_code', { length: 10 }, '85FQP2R6+22'],
    ['maidenhead', {}, 'DM79mr'],
  ] as const)('the %s of Denver', async (name, settings, code) => {
    expect(await at(name, 39.74, -104.99, settings)).toBe(code)
  })

  // Published values: W1AW in Newington CT, and Munich (from the article on the locator).
  test.each([
    [41.714775, -72.72726, 'FN31pr'],
    [48.14666, 11.60833, 'JN58td'],
    [-90, -180, 'AA00aa'],
    [90, 180, 'RR99xx'],
  ])('the locator of %p, %p is %s', async (lat, lng, locator) => expect(await at('maidenhead', lat, lng)).toBe(locator))
})

describe('magnetism', () => {
  // A published test value of the World Magnetic Model 2025 at a height of 3 km, which reduces the intensity by about
  // 55 nT.
  test('agrees with the World Magnetic Model', async () => {
    const day = { ...fieldQuery, inputs: { lat: -50, lng: -103 }, now: new Date('2025-01-01T00:00:00Z') }
    expect(Number(await computedOperator.run({ function: 'wmm_declination' }, null, day, fakeBudget))).toBeCloseTo(
      27.96,
      1,
    )
    expect(Number(await computedOperator.run({ function: 'wmm_inclination' }, null, day, fakeBudget))).toBeCloseTo(
      -54.89,
      1,
    )
    expect(Number(await computedOperator.run({ function: 'wmm_total_intensity' }, null, day, fakeBudget))).toBeCloseTo(
      38_486.7,
      -1,
    )
  })

  test('declination of Denver is 7.5 degrees east in 2026, and falls', async () => {
    const next = { ...fieldQuery, inputs: { lat: 39.74, lng: -104.99 }, now: new Date('2027-06-01T00:00:00Z') }
    const declination = Number(await at('wmm_declination', 39.74, -104.99))
    expect(declination).toBeCloseTo(7.52, 1)
    expect(Number(await computedOperator.run({ function: 'wmm_declination' }, null, next, fakeBudget))).toBeLessThan(
      declination,
    )
    expect(Number(await at('wmm_total_intensity', 39.74, -104.99))).toBeCloseTo(51_045, -2)
  })

  test('after the end of the model is an error', async () => {
    const late = { ...fieldQuery, inputs: { lat: 40, lng: -105 }, now: new Date('2035-01-01T00:00:00Z') }
    expect(() => computedOperator.run({ function: 'wmm_declination' }, null, late, fakeBudget)).toThrow(
      'Install a newer version of Fieldstone.',
    )
  })
})

describe('the sun', () => {
  test.each([
    ['Denver', 39.74, 26.82, 73.7, 9.35, 14.99],
    ['Utqiagvik', 71.29, -4.73, 42.15, 0, 24],
    ['Pago Pago', -14.28, 52.28, 80.84, 11.28, 12.97],
  ])(
    'solar elevation and day length at the solstices of %s',
    async (_, lat, winterNoon, summerNoon, winterDay, summerDay) => {
      expect(Number(await at('solar_noon_elevation', lat, 0, { season: 'winter' }))).toBeCloseTo(winterNoon, 2)
      expect(Number(await at('solar_noon_elevation', lat, 0, { season: 'summer' }))).toBeCloseTo(summerNoon, 2)
      expect(Number(await at('day_length', lat, 0, { season: 'winter' }))).toBeCloseTo(winterDay, 2)
      expect(Number(await at('day_length', lat, 0, { season: 'summer' }))).toBeCloseTo(summerDay, 2)
    },
  )
})

describe('time zones', () => {
  test.each([
    ['America/Denver', -7, true],
    ['America/Phoenix', -7, false],
    ['Pacific/Honolulu', -10, false],
    ['America/Adak', -10, true],
    ['Pacific/Guam', 10, false],
    ['America/St_Johns', -3.5, true],
    ['UTC', 0, false],
  ])('%s has offset %p and observes daylight saving: %p', async (zone, hours, dst) => {
    expect(await evaluateComputed({ function: 'utc_offset_standard_hours' }, { timezone: zone })).toBe(hours)
    expect(await evaluateComputed({ function: 'observes_dst' }, { timezone: zone })).toBe(dst)
  })

  test('an unknown zone is an error', async () => {
    expect(
      await rejectionMessage(evaluateComputed({ function: 'observes_dst' }, { timezone: 'Mars/Olympus' })),
    ).toStartWith('bad_value: ')
  })
})

describe('koppen_geiger', () => {
  const koppenOf = (t2m: number[], mmPerDay: number[]) =>
    evaluateComputed({ function: 'koppen_geiger' }, { t2m: t2m.join(','), prectotcorr: mmPerDay.join(',') })
  const all = (value: number) => Array<number>(12).fill(value)
  const temperate = [2, 3, 7, 12, 17, 22, 25, 24, 20, 14, 8, 3]
  const wetWinter = [5, 5, 4, 2, 1, 0.3, 0.2, 0.3, 0.5, 2, 4, 5]

  test.each([
    ['Af', all(26), all(8)],
    ['Am', all(26), [...all(8).slice(1), 1.2]],
    ['Aw', all(26), [...all(8).slice(4), 0, 0, 0, 0]],
    ['BWh', all(25), all(0.2)],
    ['BWk', all(10), all(0.2)],
    ['BSh', all(20), all(1)],
    ['BSk', temperate, all(1)],
    ['Cfa', temperate, all(3)],
    ['Csa', temperate, wetWinter],
    ['Csb', temperate.map((t) => Math.min(t, 21)), wetWinter],
    ['Cwa', temperate, wetWinter.map((rain) => 5.3 - rain)],
    ['Cfc', temperate.map((t) => Math.min(t - 1, 11)).map((t, i) => (i > 4 && i < 8 ? 11 : Math.min(t, 9))), all(3)],
    ['Dfb', temperate.map((t) => t - 8), all(3)],
    ['Dfa', temperate.map((t, i) => (i < 2 ? -5 : t)), all(3)],
    ['Dfc', [-30, -30, -20, -5, 5, 12, 14, 11, 5, -5, -20, -28], all(1.5)],
    ['Dfd', [-45, -40, -30, -12, 5, 14, 17, 13, 5, -10, -30, -42], all(1.5)],
    ['ET', [-20, -20, -18, -10, -3, 2, 6, 5, 1, -6, -13, -18], all(1)],
    ['EF', all(-20), all(1)],
  ])('the months of %s are of that class', async (kind, t2m, mmPerDay) => {
    expect(await koppenOf(t2m, mmPerDay)).toBe(kind)
  })

  test('the southern summer is the half-year from October', async () => {
    const shiftSixMonths = (months: number[]) => [...months.slice(6), ...months.slice(0, 6)]
    expect(await koppenOf(shiftSixMonths(temperate), shiftSixMonths(wetWinter))).toBe('Csa')
  })

  test('the thirteenth value, the yearly mean, is ignored, and a missing month gives null', async () => {
    expect(await koppenOf([...temperate, 99], [...all(3), 99])).toBe('Cfa')
    expect(await koppenOf(temperate.slice(1), all(3))).toBeNull()
    expect(await koppenOf([-999, ...temperate.slice(1)], all(3))).toBeNull()
    expect(await evaluateComputed({ function: 'koppen_geiger' }, { t2m: null, prectotcorr: '1' })).toBeNull()
  })

  test('a month that is not a number is an error of the source', async () => {
    const words = all(3).map(() => 'many')
    expect(
      await rejectionMessage(
        evaluateComputed({ function: 'koppen_geiger' }, { t2m: words.join(','), prectotcorr: all(3).join(',') }),
      ),
    ).toStartWith('bad_value: ')
  })
})
