import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { FieldResult } from '../../src/fetch/fetch-answer.ts'
import type { Point } from '../../src/model/place.ts'
import { greenness, scenesAt } from '../upstreams/documents/scenes.ts'
import { positionOf } from '../upstreams/layers/shapes.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces, type PlaceName } from '../upstreams/test-places.ts'
import { cdlAt, imageServers, nlcdAt } from '../upstreams/rasters/imageservers.ts'
import { valueAt } from '../upstreams/rasters/raster.ts'
import { planes } from '../upstreams/rasters/terrain.ts'
import { fetchFieldsEverywhere, placeNames, onlineValueOf, roundedAs } from './fetch-fields.ts'
import { words } from '../support/words.ts'

/** A raster by the end of its path, the year of its newest item, and the value of a code. */
type Sampled = [field: string, path: string, year: number, value: (code: number) => unknown]

const lcms: Record<number, string> = {
  1: 'Trees',
  3: 'Shrubs & Trees Mix',
  7: 'Shrubs',
  10: 'Grass/Forb/Herb',
  12: 'Barren or Impervious',
  14: 'Water',
}
const landUse: Record<number, string> = {
  1: 'Agriculture',
  2: 'Developed',
  3: 'Forest',
  4: 'Other',
  5: 'Rangeland or Pasture',
}
const change: Record<number, string> = {
  7: 'Wildfire',
  8: 'Mechanical Land Transformation',
  14: 'Vegetation Successional Growth',
  15: 'Stable',
}
const vegetation: Record<number, string> = {
  7_011: 'Rocky Mountain Aspen Forest and Woodland',
  7_054: 'Southern Rocky Mountain Ponderosa Pine Woodland',
  7_080: 'Inter-Mountain Basins Big Sagebrush Shrubland',
  7_292: 'Open Water',
  7_299: 'Developed-Roads',
}
const fuels: Record<number, string> = { 91: 'NB1', 101: 'GR1', 122: 'GS2', 145: 'SH5', 165: 'TU5', 183: 'TL3' }
const crops: Record<number, string> = {
  1: 'Corn',
  5: 'Soybeans',
  24: 'Winter Wheat',
  36: 'Alfalfa',
  121: 'Developed/Open Space',
  122: 'Developed/Low Intensity',
  124: 'Developed/High Intensity',
  141: 'Deciduous Forest',
  142: 'Evergreen Forest',
  152: 'Shrubland',
  176: 'Grassland/Pasture',
}
const nlcd: Record<number, string> = {
  11: 'Open Water',
  21: 'Developed, Open Space',
  22: 'Developed, Low Intensity',
  23: 'Developed, Medium Intensity',
  24: 'Developed, High Intensity',
  41: 'Deciduous Forest',
  42: 'Evergreen Forest',
  52: 'Shrub/Scrub',
  71: 'Grassland/Herbaceous',
  81: 'Pasture/Hay',
  82: 'Cultivated Crops',
  90: 'Woody Wetlands',
}
const hazard: Record<number, string> = {
  1: 'Very Low',
  2: 'Low',
  3: 'Moderate',
  4: 'High',
  5: 'Very High',
  6: 'Non-burnable',
  7: 'Water',
}
const known = (code: number, value: unknown) => (code === 65_535 || code === -9_999 ? null : value)
const isCrop = (code: number) => [1, 5, 24, 36].includes(code)

const sampled: Sampled[] = [
  ['lcms_class', 'AnnualLandcover_CONUS', 2025, (code) => lcms[code]],
  ['land_use_class', 'AnnualLanduse_CONUS', 2025, (code) => landUse[code]],
  ['lcms_change_class', 'AnnualChange_CONUS', 2025, (code) => change[code]],
  ['existing_vegetation_type', 'EVT', 0, (code) => vegetation[code]],
  ['lcms_recent_fast_loss_year', 'MostRecentYearFastLoss_CONUS', 0, (code) => code || null],
  ['nlcd_class', 'NLCD_Landcover_CONUS', 2024, (code) => nlcd[code]],
  ['tree_canopy_pct', 'NLCD_TCC_CONUS', 2024, (code) => (code === 254 ? null : code)],
  ['cdl_class', 'CDL_WM', 2025, (code) => crops[code]],
  ['is_cultivated', 'CDL_WM', 2025, isCrop],
  ['wildfire_hazard_potential_class', 'WildfireHazardPotentialClassified', 0, (code) => hazard[code]],
  ['burn_probability', 'WRC_BurnProbability', 0, (code) => known(code, code / 10_000)],
  ['wildfire_hazard_potential_index', 'WRC_WildfireHazardPotential', 0, (code) => known(code, code)],
  ['conditional_flame_length_m', 'WRC_ConditionalFlameLength', 0, (code) => known(code, code * 0.3048)],
  ['risk_to_potential_structures_index', 'WRC_RiskToPotentialStructures', 0, (code) => known(code, code / 100)],
  ['forest_canopy_height_m', 'CH', 0, (code) => known(code, code / 10)],
  ['canopy_base_height_m', 'CBH', 0, (code) => known(code, code / 10)],
  ['canopy_bulk_density_kg_m3', 'CBD', 0, (code) => known(code, code / 100)],
  ['is_burnable_fuel', 'FBFM40', 0, (code) => known(code, code > 100)],
]
const worked = words`
  elevation slope_degrees slope_pct aspect_degrees aspect_cardinal local_relief_500m_m
  topographic_position_index_500m_m terrain_ruggedness_index_m tree_canopy_change_10y_pct dominant_crop_5y
  dominant_crop_5y_years_count crop_rotation_5y cropland_within_1km_pct developed_land_within_1km_pct ndvi_current
  ndvi_change_5y ndvi_current_date slope_position_class fuel_model_fbfm40 surface_water_permanence_pct
  modeled_bedrock_depth_cm
`

let service: OnlineService
let answers: Record<PlaceName, Record<string, FieldResult>>
beforeAll(async () => {
  service = openOnlineService()
  answers = await fetchFieldsEverywhere(service, [...sampled.map(([field]) => field), ...worked])
})
afterAll(() => service.close())

test.each(sampled)('%s is the value of the cell at the point in the newest edition', (field, path, year, value) => {
  expectEverywhere(field, (place) => {
    const code = codeAt(path, testPlaces[place], year)
    return code === null ? null : roundedAs(service, field, value(code) ?? null)
  })
})

test('elevation is on the plane of the place, within a centimeter', () => expectNear('elevation', ({ z }) => z, 0.01))

test('slope and its percentage are those of the plane in true meters', () => {
  expectNear('slope_degrees', ({ steepness }) => degrees(Math.atan(steepness)), 0.02)
  expectNear('slope_pct', ({ steepness }) => 100 * steepness, 0.04)
})

test('aspect is the direction in which the plane falls, and flat ground has none', () => {
  const names = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW']
  for (const place of placeNames) {
    const { steepness, falls } = planeOf(place)
    const isFlat = degrees(Math.atan(steepness)) < 0.5
    const aspect = onlineValueOf(answers[place].aspect_degrees)
    expect(isFlat ? aspect : Math.abs(((Number(aspect) - falls + 540) % 360) - 180) < 0.1, place).toBe(
      isFlat ? null : true,
    )
    expect(onlineValueOf(answers[place].aspect_cardinal), place).toBe(
      isFlat ? 'flat' : names[Math.round(falls / 45) % 8],
    )
  }
})

test('relief, position and ruggedness follow from the plane', () => {
  for (const place of placeNames) {
    const { steepness, step } = planeOf(place)
    expect(
      Math.abs(Number(onlineValueOf(answers[place].local_relief_500m_m)) / (1_000 * steepness) - 1),
      place,
    ).toBeLessThan(0.03)
    expect(Math.abs(Number(onlineValueOf(answers[place].topographic_position_index_500m_m))), place).toBeLessThan(
      10 * steepness + 0.01,
    )
    expect(
      Math.abs(Number(onlineValueOf(answers[place].terrain_ruggedness_index_m)) - Math.sqrt(6) * step),
      place,
    ).toBeLessThan(0.007)
  }
})

test('a plane has no ridges and no valleys: it is flat, or the middle of a slope', () => {
  expectEverywhere('slope_position_class', (place) =>
    degrees(Math.atan(planeOf(place).steepness)) <= 5 ? 'flat' : 'middle_slope',
  )
})

test('fuel models have the names of their codes', () => {
  for (const place of placeNames) {
    const code = codeAt('FBFM40', testPlaces[place], 0)
    const value = onlineValueOf(answers[place].fuel_model_fbfm40)
    if (code === null || code === -9_999) expect(value, place).toBeNull()
    else expect(String(value).split(' ')[0], place).toBe(fuels[code])
  }
})

test('the date of the greenness is that of the newest clear scene', () => {
  expectEverywhere(
    'ndvi_current_date',
    (place) =>
      scenesAt(place)
        .find(({ cloud }) => cloud < 20)
        ?.date.toISOString()
        .slice(0, 10) ?? null,
  )
})

test('the canopy change compares now with ten years ago', () => {
  expectEverywhere('tree_canopy_change_10y_pct', (place) => {
    const [now, before] = [2024, 2014].map((year) => codeAt('NLCD_TCC_CONUS', testPlaces[place], year))
    return now === null || now === 254 ? null : now! - before!
  })
})

test('the crops of five years are those of the five newest editions', () => {
  const codes = (place: PlaceName) =>
    [2025, 2024, 2023, 2022, 2021].map((year) => codeAt('CDL_WM', testPlaces[place], year)!)
  const mode = (place: PlaceName) => {
    const grown = codes(place).filter(isCrop)
    return grown
      .map((code) => ({ code, years: grown.filter((it) => it === code).length }))
      .toSorted((a, b) => b.years - a.years)[0]
  }
  const isCovered = (place: PlaceName) => place !== 'anchorage' && place !== 'san_juan'
  expectEverywhere('dominant_crop_5y', (place) => (isCovered(place) ? (crops[mode(place)?.code ?? 0] ?? null) : null))
  expectEverywhere('dominant_crop_5y_years_count', (place) => (isCovered(place) ? (mode(place)?.years ?? null) : null))
  expectEverywhere('crop_rotation_5y', (place) =>
    isCovered(place)
      ? codes(place)
          .toReversed()
          .map((code) => (code === 81 ? 'Clouds/No Data' : crops[code]))
          .join(' > ')
      : null,
  )
})

test('shares of a circle are those of its cells, within two percent', () => {
  const share = (
    place: PlaceName,
    valueAtPoint: (at: Point) => number | null,
    counts: (code: number) => boolean,
    leaves: (code: number) => boolean,
  ) => {
    const codes = circle(testPlaces[place])
      .flatMap((at) => valueAtPoint(at) ?? [])
      .filter((code) => !leaves(code))
    return (100 * codes.filter(counts).length) / codes.length
  }
  for (const place of placeNames.filter((name) => name !== 'anchorage' && name !== 'san_juan')) {
    const developed = share(
      place,
      (at) => nlcdAt(at, 2024),
      (code) => code >= 21 && code <= 24,
      (code) => code === 11,
    )
    const cropland = share(
      place,
      (at) => cdlAt(at, 2025),
      isCrop,
      (code) => code === 81,
    )
    expect(
      Math.abs(Number(onlineValueOf(answers[place].developed_land_within_1km_pct)) - developed),
      place,
    ).toBeLessThan(2)
    expect(Math.abs(Number(onlineValueOf(answers[place].cropland_within_1km_pct)) - cropland), place).toBeLessThan(2)
  }
})

test('greenness comes from the clear scenes of now and of five years ago', () => {
  for (const place of placeNames) {
    const [before, since] = greenness[place]
    const [now, change] = [onlineValueOf(answers[place].ndvi_current), onlineValueOf(answers[place].ndvi_change_5y)]
    if (place === 'anchorage') expect([now, change], place).toEqual([null, null])
    else {
      expect(Math.abs(Number(now) - since), place).toBeLessThan(0.005)
      expect(Math.abs(Number(change) - (since - before)), place).toBeLessThan(0.005)
    }
  }
})

test('surface water and soil depth are the cells of files, and their sentinels have no value', () => {
  const water: Partial<Record<PlaceName, number | null>> = { new_orleans: 87, miami_beach: 12, anchorage: null }
  expectEverywhere('surface_water_permanence_pct', (place) => (place in water ? water[place]! : 0))
  const rock: Partial<Record<PlaceName, number | null>> = {
    kansas: null,
    boulder: 86,
    paradise: 41,
    anchorage: null,
    san_juan: null,
  }
  expectEverywhere('modeled_bedrock_depth_cm', (place) => (place in rock ? rock[place]! : 201))
})

/** The code of a simulated raster; several of one name are one per region. */
function codeAt(path: string, at: Point, year: number): number | null {
  const found = imageServers.filter((raster) =>
    new RegExp(`[_/]${path}(_(CONUS|AK|HI))?/ImageServer$`).test(raster.path),
  )
  if (found.length === 0) throw new Error(`The stand-in has no raster ${path}.`)
  return found.map((raster) => valueAt(raster, at, year)).find((code) => code !== null) ?? null
}

/** The plane of a place: rise per meter, direction of fall, and rise between cells of a third of an arcsecond. */
function planeOf(place: PlaceName) {
  const { z, east, north } = planes[place]
  const [lng, lat] = positionOf(testPlaces[place], [1, 1])
  const [riseEast, riseNorth] = [east * (lng - testPlaces[place].lng), north * (lat - testPlaces[place].lat)]
  return {
    z,
    steepness: Math.hypot(riseEast, riseNorth),
    falls: (degrees(Math.atan2(-riseEast, -riseNorth)) + 360) % 360,
    step: Math.hypot(east, north) / 10_800,
  }
}

function expectNear(field: string, expected: (plane: ReturnType<typeof planeOf>) => number, most: number): void {
  for (const place of placeNames)
    expect(Math.abs(Number(onlineValueOf(answers[place][field])) - expected(planeOf(place))), place).toBeLessThan(most)
}

function expectEverywhere(field: string, expected: (place: PlaceName) => unknown): void {
  const rounded = (value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(9)) : value)
  expect(Object.fromEntries(placeNames.map((place) => [place, onlineValueOf(answers[place][field])]))).toEqual(
    Object.fromEntries(placeNames.map((place) => [place, rounded(expected(place))])),
  )
}

/** Points 30 meters apart within a kilometer. */
function circle(at: Point): Point[] {
  const steps = Array.from({ length: 67 }, (_, nth) => (nth - 33) * 30)
  return steps
    .flatMap((east) => steps.map((north) => [east, north] as const))
    .filter(([east, north]) => Math.hypot(east, north) <= 1_000)
    .map((offset) => positionOf(at, [...offset]))
    .map(([lng, lat]) => ({ lat, lng }))
}

function degrees(radians: number): number {
  return (radians * 180) / Math.PI
}
