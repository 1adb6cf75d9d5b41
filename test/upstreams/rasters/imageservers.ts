import { layer } from '../layers/layer.ts'
import { surroundings } from '../layers/shapes.ts'
import { testPlaces, type PlaceName } from '../test-places.ts'
import { testPlaceAt } from '../documents/place-at.ts'
import { withExceptions, patchwork, rotation } from './codes.ts'
import type { RasterCatalog, SimulatedRaster } from './raster.ts'
import { elevationAt } from './terrain.ts'

// Synthetic: which code lies where. The codes, their sentinels and the names of the catalogue items are those of the
// publishers.

const placeNames = Object.keys(testPlaces) as PlaceName[]

/** Every ImageServer of the upstream world. */
export const imageServers: SimulatedRaster[] = [
  vegetation(
    'USFS_EDW_LCMS_AnnualLandcover_CONUS',
    yearly('year', 1_984, (year) => `LCMS_CONUS_v2025-11_Land_Cover_${year}`, [1_985, 2_025]),
    withExceptions({ manhattan: () => 15 }, patchwork([1, 3, 7, 10, 12, 14])),
  ),
  vegetation(
    'USFS_EDW_LCMS_AnnualLanduse_CONUS',
    yearly('year', 1_984, (year) => `LCMS_CONUS_v2025-11_Land_Use_${year}`, [1_985, 2_025]),
    withExceptions({ kansas: () => 1, manhattan: () => 0 }, patchwork([2, 3, 4, 5])),
  ),
  vegetation(
    'USFS_EDW_LCMS_AnnualChange_CONUS',
    yearly('year', 1_984, (year) => `LCMS_CONUS_v2025-11_Change_${year}`, [1_985, 2_025]),
    withExceptions({ paradise: () => 7, manhattan: () => 16 }, rotation([8, 14, 15, 15])),
  ),
  {
    ...vegetation(
      'USFS_EDW_LCMS_MostRecentYearFastLoss_CONUS',
      null,
      withExceptions({ paradise: () => 2_018, boulder: () => 2_010 }, () => 0),
    ),
    pixelType: 'U16',
  },
  vegetation(
    'USFS_EDW_NLCD_TCC_CONUS',
    yearly('endyear', 1_945, (year) => `nlcd_tcc_conus_wgs84_v2025_6_${year}0101_${year}1231`, [1_985, 2_024]),
    withExceptions({ manhattan: () => 254 }, (at, year) => (patchwork([0, 12, 35, 60])(at) + year - 1_985) % 101),
  ),
  vegetation(
    'USFS_EDW_NLCD_Landcover_CONUS',
    yearly('endyear', 1_984, (year) => `Annual_NLCD_LndCov_${year}_CU_C1V1`, [2_013, 2_024]),
    nlcdAt,
  ),
  fire(
    'USFS_EDW_RMRS_WildfireHazardPotentialClassified',
    'U8',
    withExceptions({ paradise: () => 5, manhattan: () => 6 }, patchwork([1, 2, 3, 4, 7])),
  ),
  fire(
    'USFS_EDW_RMRS_WRC_BurnProbability',
    'U16',
    withExceptions({ paradise: () => 132, new_orleans: () => 0, manhattan: () => 65_535 }, patchwork([4, 9, 21])),
  ),
  fire(
    'USFS_EDW_RMRS_WRC_WildfireHazardPotential',
    'U16',
    withExceptions({ manhattan: () => 65_535 }, patchwork([12, 160, 2_040])),
  ),
  fire(
    'USFS_EDW_RMRS_WRC_ConditionalFlameLength',
    'U16',
    withExceptions({ manhattan: () => 65_535 }, patchwork([1, 4, 11])),
  ),
  fire(
    'USFS_EDW_RMRS_WRC_RiskToPotentialStructures',
    'U16',
    withExceptions({ manhattan: () => 65_535 }, patchwork([3, 40, 510])),
  ),
  {
    host: 'pdi.scinet.usda.gov',
    path: '/image/rest/services/CDL_WM/ImageServer',
    pixelType: 'U8',
    covers: ['CONUS'],
    catalog: {
      ...yearly('Year', 2_007, (year) => `CDL_${year}`, [2_008, 2_025]),
      attributes: ['OBJECTID', 'Name', 'Year'],
    },
    value: cdlAt,
  },
  ...landfire(
    'EVT',
    withExceptions({ manhattan: () => 7_299, new_orleans: () => -9_999 }, patchwork([7_011, 7_054, 7_080, 7_292])),
  ),
  ...landfire('CH', withExceptions({ manhattan: () => 0, new_orleans: () => -9_999 }, patchwork([0, 75, 175, 510]))),
  ...landfire('CBH', withExceptions({ new_orleans: () => -9_999 }, patchwork([0, 4, 20, 100]))),
  ...landfire('CBD', withExceptions({ new_orleans: () => -9_999 }, patchwork([0, 5, 13, 45]))),
  ...landfire(
    'FBFM40',
    withExceptions({ manhattan: () => 91, new_orleans: () => -9_999 }, patchwork([101, 122, 145, 165, 183])),
  ),
  {
    host: 'elevation.nationalmap.gov',
    path: '/arcgis/rest/services/3DEPElevation/ImageServer',
    pixelType: 'F32',
    covers: ['CONUS', 'AK', 'HI', 'PR'],
    value: elevationAt,
    sources: modelsAt,
    footprints: layer({
      at: 'https://elevation.nationalmap.gov/arcgis/rest/services/3DEPElevation/ImageServer/0',
      name: 'Catalog',
      kind: 'polygon',
      columns: 'OBJECTID Name LowPS:double Category:integer',
      rows: placeNames.flatMap((name) =>
        modelsAt(testPlaces[name]).map(({ Name, LowPS, Category }) => [surroundings(name), { Name, LowPS, Category }]),
      ),
    }),
  },
]

/** The code of the National Land Cover Database at a point. */
export function nlcdAt(at: { lat: number; lng: number }, year: number): number | null {
  return withExceptions(
    {
      manhattan: () => 24,
      new_orleans: patchwork([11, 24, 90]),
      miami_beach: patchwork([11, 23, 24]),
      kansas: patchwork([82, 71, 81]),
    },
    patchwork([21, 22, 41, 42, 52, 71]),
  )(at, year)
}

/** The code of the Cropland Data Layer at a point: crops in Kansas, cloud in Paradise in 2023. */
export function cdlAt(at: { lat: number; lng: number }, year: number): number | null {
  return withExceptions(
    {
      kansas: rotation([1, 5, 24]),
      paradise: (point, of) => (of === 2_023 ? 81 : patchwork([142, 152])(point)),
      manhattan: () => 124,
    },
    patchwork([121, 122, 141, 176, 36]),
  )(at, year)
}

/**
 * The models of 3DEP under a point: the finest has a cell of a metre, at Anchorage five. The overview that covers all
 * has no type.
 */
function modelsAt(at: { lat: number; lng: number }) {
  const name = testPlaceAt(at)
  const model = (OBJECTID: number, Name: string, LowPS: number, DEM_Type: string | null) => ({
    OBJECTID,
    Name,
    MinPS: 0,
    MaxPS: 1_000,
    LowPS,
    HighPS: LowPS,
    Category: DEM_Type ? 1 : 2,
    DEM_Type,
  })
  return [
    model(1, 'Ov_i01_L01', 0.5, null),
    ...(name
      ? [
          model(2, `made_up_${name}`, name === 'anchorage' ? 5 : 1, name === 'anchorage' ? 'DSM' : 'DTM'),
          model(3, 'USGS_13_made_up', 10, 'DTM'),
        ]
      : []),
  ]
}

function vegetation(name: string, catalog: RasterCatalog | null, value: SimulatedRaster['value']): SimulatedRaster {
  return {
    host: 'imagery.geoplatform.gov',
    path: `/iipp/rest/services/Vegetation/${name}/ImageServer`,
    pixelType: 'U8',
    covers: ['CONUS'],
    ...(catalog ? { catalog } : {}),
    value,
  }
}

function fire(name: string, pixelType: SimulatedRaster['pixelType'], value: SimulatedRaster['value']): SimulatedRaster {
  return {
    host: 'imagery.geoplatform.gov',
    path: `/iipp/rest/services/Fire_Aviation/${name}/ImageServer`,
    pixelType,
    covers: ['CONUS', 'AK', 'HI'],
    value,
  }
}

function landfire(product: string, value: SimulatedRaster['value']): SimulatedRaster[] {
  return (['CONUS', 'AK', 'HI'] as const).map((region) => ({
    host: 'lfps.usgs.gov',
    path: `/arcgis/rest/services/Landfire_LF2024/LF2024_${product}_${region}/ImageServer`,
    pixelType: 'S16',
    covers: [region],
    value,
  }))
}

/** The object ids are those that were seen: 40 is land cover of 2024, 79 canopy of 2024. */
function yearly(
  attribute: string,
  before: number,
  nameOf: (year: number) => string,
  [first, last]: [number, number],
): RasterCatalog {
  return {
    attributes:
      attribute === 'endyear' ? ['objectid', 'name', 'beginyear', 'endyear'] : ['objectid', 'name', attribute],
    first,
    last,
    idOf: (year) => year - before,
    nameOf,
  }
}
