import { expect, test } from 'bun:test'
import { fromArrayBuffer } from 'geotiff'
import { sendToServices, fetchJsonFromServices, answerText, formPost } from './documents/send-request.ts'
import { testPlaces } from './test-places.ts'
import { rasterServices } from './rasters.ts'
import { cdlAt, nlcdAt } from './rasters/imageservers.ts'
import { middleOfCell } from './rasters/raster.ts'
import { mercatorOf } from './rasters/imageserver-geometry.ts'
import { planes } from './rasters/terrain.ts'

const { kansas, boulder, paradise, new_orleans } = testPlaces
const nlcd = 'https://imagery.geoplatform.gov/iipp/rest/services/Vegetation/USFS_EDW_NLCD_Landcover_CONUS/ImageServer'
const cdl = 'https://pdi.scinet.usda.gov/image/rest/services/CDL_WM/ImageServer'

function identify({ lat, lng }: { lat: number; lng: number }, wkid: number, rule?: object): string {
  const rest = rule ? { mosaicRule: JSON.stringify(rule) } : {}
  return `/identify?${new URLSearchParams({ f: 'json', geometryType: 'esriGeometryPoint', returnCatalogItems: 'false', geometry: JSON.stringify({ x: lng, y: lat, spatialReference: { wkid } }), ...rest }).toString()}`
}

test('a value is a string, and degrees declared as meters are "NoData"', async () => {
  const value = async (url: string) => (await fetchJsonFromServices<{ value: string }>(rasterServices, url)).value
  expect(
    await value(nlcd + identify(kansas, 4326, { mosaicMethod: 'esriMosaicAttribute', where: 'endyear=2024' })),
  ).toBe(String(nlcdAt(middleOfCell(kansas), 2024)))
  expect(await value(nlcd + identify(kansas, 102100))).toBe('NoData')
  expect(await value(nlcd + identify(testPlaces.anchorage, 4326))).toBe('NoData')
  const [lng, lat] = mercatorOf(kansas)
  expect(await value(nlcd + identify({ lat, lng }, 102100))).toBe(String(nlcdAt(middleOfCell(kansas), 2013)))
})

test('a year is selected by the attribute of the host or by its raster id; any other rule is an error with status 200', async () => {
  const value = async (rule: object) =>
    fetchJsonFromServices<{ value?: string; error?: { code: number } }>(
      rasterServices,
      cdl + identify(kansas, 4326, rule),
    )
  const years = await Promise.all(
    [2023, 2024, 2025].map(
      async (year) =>
        (
          await value({
            where: `Year = ${year}`,
            mosaicMethod: 'esriMosaicAttribute',
            sortField: 'Year',
            sortValue: '2024',
          })
        ).value,
    ),
  )
  expect(new Set(years)).toEqual(new Set(['1', '5', '24']))
  expect((await value({ mosaicMethod: 'esriMosaicLockRaster', lockRasterIds: [2024 - 2007] })).value).toBe(years[1])
  expect(await value({ where: 'Jahr = 2024' })).toMatchObject({ error: { code: 400 } })
})

test('the catalog lists its years under the names of the host, and rejects other names', async () => {
  type Items = { features: { attributes: Record<string, unknown> }[]; error?: unknown }
  const items = await fetchJsonFromServices<Items>(
    rasterServices,
    `${nlcd}/query?where=1%3D1&outFields=objectid,name,endyear&returnGeometry=false&f=json`,
  )
  expect(items.features.at(-1)).toEqual({
    attributes: { objectid: 40, name: 'Annual_NLCD_LndCov_2024_CU_C1V1', endyear: 2024 },
  })
  expect(
    (await fetchJsonFromServices<Items>(rasterServices, `${nlcd}/query?where=1%3D1&outFields=year&f=json`)).error,
  ).toBeDefined()
  expect(
    (await fetchJsonFromServices<Items>(rasterServices, `${nlcd}/query?where=1%3D1&outFields=*&f=geojson`)).error,
  ).toBeDefined()
  expect(
    (
      await fetchJsonFromServices<Items>(rasterServices, `${cdl}/query?where=Year%3E2023&outFields=*&f=json`)
    ).features.map(({ attributes }) => attributes.Year),
  ).toEqual([2024, 2025])
})

test('samples are joined by locationId, because points without data are omitted', async () => {
  const question = formPost({
    f: 'json',
    geometryType: 'esriGeometryMultipoint',
    returnFirstValueOnly: 'true',
    geometry: JSON.stringify({
      points: [
        [-90, 27],
        [kansas.lng, kansas.lat],
        [0, 0],
      ],
      spatialReference: { wkid: 4326 },
    }),
  })
  const { samples } = await fetchJsonFromServices<{ samples: { locationId: number; value: string }[] }>(
    rasterServices,
    `https://elevation.nationalmap.gov/arcgis/rest/services/3DEPElevation/ImageServer/getSamples`,
    question,
  )
  expect(samples.map(({ locationId, value }) => [locationId, value])).toEqual([[1, String(planes.kansas.z)]])
  expect(await sendToServices(rasterServices, `${nlcd}/getSamples`, { ...question, headers: {} })).toBeNull()
})

test('all items of a mosaic are sampled at a point, in no order and up to a limit, each with the requested attributes', async () => {
  type Samples = {
    samples: { locationId: number; value: string; attributes: Record<string, unknown> }[]
    error?: unknown
  }
  const sampled = (rest: Record<string, string>) =>
    fetchJsonFromServices<Samples>(
      rasterServices,
      `${cdl}/getSamples?${new URLSearchParams({ f: 'json', geometryType: 'esriGeometryPoint', geometry: JSON.stringify({ x: kansas.lng, y: kansas.lat, spatialReference: { wkid: 4326 } }), ...rest }).toString()}`,
    )
  const rule = (where: string) => JSON.stringify({ mosaicMethod: 'esriMosaicAttribute', where })
  const { samples } = await sampled({
    returnFirstValueOnly: 'false',
    outFields: 'Year',
    mosaicRule: rule('Year IN (2025, 2023,2021)'),
  })
  expect(samples.map(({ value, attributes }) => [value, attributes])).toEqual(
    [2025, 2023, 2021].map((year) => [String(cdlAt(middleOfCell(kansas), year)), { Year: year }]),
  )
  expect(
    (await sampled({ outFields: 'year', mosaicRule: rule('Year IN (2025,2023)') })).samples.map(
      ({ attributes }) => attributes,
    ),
  ).toEqual([{ Year: 2023 }])
  expect((await sampled({ mosaicRule: rule('Year = 2025') })).samples.map(({ attributes }) => attributes)).toEqual([
    { Name: 'CDL_2025' },
  ])
  const many =
    'https://imagery.geoplatform.gov/iipp/rest/services/Vegetation/USFS_EDW_LCMS_AnnualLandcover_CONUS/ImageServer/getSamples'
  const all = new URLSearchParams({
    f: 'json',
    geometryType: 'esriGeometryPoint',
    geometry: JSON.stringify({ x: kansas.lng, y: kansas.lat, spatialReference: { wkid: 4326 } }),
    returnFirstValueOnly: 'false',
  })
  expect((await fetchJsonFromServices<Samples>(rasterServices, `${many}?${all.toString()}`)).samples).toHaveLength(20)
  for (const wrong of [
    { outFields: 'Jahr' },
    { mosaicRule: rule('Year IN ()') },
    { mosaicRule: rule('Jahr IN (2025)') },
    { mosaicRule: rule('Year=1900') },
  ])
    expect((await sampled({ outFields: 'Year', ...wrong })).error, JSON.stringify(wrong)).toBeDefined()
})

test('a histogram counts the codes in a polygon in bins of one, and is empty if cells are larger than the polygon', async () => {
  const [x, y] = mercatorOf(new_orleans)
  const rings = [
    [
      [x - 1_000, y - 1_000],
      [x - 1_000, y + 1_000],
      [x + 1_000, y + 1_000],
      [x + 1_000, y - 1_000],
      [x - 1_000, y - 1_000],
    ],
  ]
  const zone = (pixelSize: string) =>
    formPost({
      f: 'json',
      geometryType: 'esriGeometryPolygon',
      geometry: JSON.stringify({ rings, spatialReference: { wkid: 3857 } }),
      pixelSize,
    })
  type Zonal = { histograms: { size: number; min: number; counts: number[] }[]; statistics?: unknown[] }
  const {
    histograms: [found],
    statistics,
  } = await fetchJsonFromServices<Zonal>(
    rasterServices,
    `${nlcd}/computeStatisticsHistograms`,
    zone('{"x":20,"y":20,"spatialReference":{"wkid":3857}}'),
  )
  expect([found!.size, found!.min, found!.counts.reduce((sum, count) => sum + count, 0)]).toEqual([256, -0.5, 10_000])
  expect(found!.counts.flatMap((count, code) => (count > 0 ? [code] : []))).toEqual([11, 24, 90])
  expect(statistics).toHaveLength(1)
  expect(await fetchJsonFromServices<Zonal>(rasterServices, `${nlcd}/computeHistograms`, zone('99999,99999'))).toEqual({
    histograms: [],
  })
})

test('an exported image of a few cells is a TIFF', async () => {
  const [x, y] = mercatorOf(kansas)
  const said = await sendToServices(
    rasterServices,
    `${nlcd}/exportImage?f=image&format=tiff&size=64,64&bboxSR=3857&imageSR=3857&bbox=${[x - 960, y - 960, x + 960, y + 960].join(',')}`,
  )
  const image = await (await fromArrayBuffer((said!.body as Uint8Array<ArrayBuffer>).buffer)).getImage()
  expect([said!.type, image.getWidth()]).toEqual(['image/tiff', 64])
  expect(
    answerText(await sendToServices(rasterServices, `${nlcd}/exportImage?f=image&format=tiff&size=64,64`)),
  ).toContain('"error"')
})

test('3DEP returns its source models with a value, and one of them has no type', async () => {
  type Found = { value: string; catalogItems: { features: { attributes: Record<string, unknown> }[] } }
  const { value, catalogItems } = await fetchJsonFromServices<Found>(
    rasterServices,
    `https://elevation.nationalmap.gov/arcgis/rest/services/3DEPElevation/ImageServer${identify(boulder, 4326)}`.replace(
      'Items=false',
      'Items=true',
    ),
  )
  expect([value, catalogItems.features.map(({ attributes }) => [attributes.DEM_Type, attributes.LowPS])]).toEqual([
    '1655',
    [
      [null, 0.5],
      ['DTM', 1],
      ['DTM', 10],
    ],
  ])
})

test('each region of LANDFIRE has its own service', async () => {
  const value = async (region: string) =>
    (
      await fetchJsonFromServices<{ value: string }>(
        rasterServices,
        `https://lfps.usgs.gov/arcgis/rest/services/Landfire_LF2024/LF2024_FBFM40_${region}/ImageServer${identify(testPlaces.anchorage, 4326)}`,
      )
    ).value
  expect([await value('CONUS'), await value('HI')]).toEqual(['NoData', 'NoData'])
  expect(Number(await value('AK'))).toBeGreaterThan(100)
  expect(
    answerText(
      await sendToServices(rasterServices, 'https://landfire.gov/sites/default/files/CSV/2024/LF2024_EVT.csv'),
    ),
  ).toContain('\r\n7292,Open Water,')
})

test('an elevation tile supports range requests, has the plane of its place, and is missing elsewhere', async () => {
  const tile = 'https://prd-tnm.s3.amazonaws.com/StagedProducts/Elevation/13/TIFF/current/n40w122/USGS_13_n40w122.tif'
  const head = await sendToServices(rasterServices, tile, { headers: { range: 'bytes=0-15' } })
  expect(head).toMatchObject({ status: 206, body: new Uint8Array((head!.body as Uint8Array).slice(0, 16)) })
  const size = Number(/\/(\d+)$/.exec(head!.headers!['content-range']!)![1])
  expect((await sendToServices(rasterServices, tile, { headers: { range: `bytes=${size}-` } }))?.status).toBe(416)
  expect(
    (await sendToServices(rasterServices, tile, { headers: { range: 'bytes=-10' } }))!.headers!['content-range'],
  ).toBe(`bytes ${size - 10}-${size - 1}/${size}`)
  const whole = (await sendToServices(rasterServices, tile))!.body as Uint8Array<ArrayBuffer>
  const image = await (await fromArrayBuffer(whole.slice().buffer)).getImage()
  const [west, north] = image.getOrigin() as [number, number]
  const [column, row] = [Math.floor((paradise.lng - west) * 10_800), Math.floor((north - paradise.lat) * 10_800)]
  const [cells] = (await image.readRasters({ window: [column, row, column + 2, row + 1] })) as unknown as [Float32Array]
  expect(Math.abs(cells[0]! - planes.paradise.z)).toBeLessThan(2)
  expect(cells[1]! - cells[0]!).toBeCloseTo(planes.paradise.east / 10_800, 3)
  expect((await sendToServices(rasterServices, tile.replaceAll('n40w122', 'n30w080')))?.status).toBe(404)
})

test('surface water has tiles of ten degrees and none on the open sea; the soil map is in Albers', async () => {
  const water = (tile: string) =>
    `https://storage.googleapis.com/global-surface-water/downloads2021/occurrence/occurrence_${tile}v1_4_2021.tif`
  expect((await sendToServices(rasterServices, water('100W_30N')))?.type).toBe('image/tiff')
  expect((await sendToServices(rasterServices, water('40W_30N')))?.status).toBe(404)
  const soil = (await sendToServices(
    rasterServices,
    'https://storage.googleapis.com/solus100pub/anylithicdpt_cm_p.tif',
  ))!.body as Uint8Array<ArrayBuffer>
  expect((await (await fromArrayBuffer(soil.slice().buffer)).getImage()).getGeoKeys()).toMatchObject({
    ProjectedCSTypeGeoKey: 5_070,
  })
})

test('CropScape takes Albers meters and fails for degrees', async () => {
  const value = 'https://nassgeodata.gmu.edu/axis2/services/CDLService/GetCDLValue?year=2024'
  expect(answerText(await sendToServices(rasterServices, `${value}&x=-91974&y=1813000`))).toMatch(
    /<Result>\{x: -91974, y: 1813000, value: \d+, category: /,
  )
  expect(await sendToServices(rasterServices, `${value}&x=-97.07&y=39.28`)).toMatchObject({ status: 500 })
})

test('the land cover map returns one value, and its errors are XML with status 200', async () => {
  const layer = 'mrlc_Land-Cover-Native_conus_year_data:Land-Cover-Native_conus_year_data'
  const map =
    'https://dmsdata.cr.usgs.gov/geoserver/mrlc_Land-Cover-Native_conus_year_data/wms?service=WMS&version=1.1.1&request=GetFeatureInfo'
  const box = `&srs=EPSG:4326&bbox=${kansas.lng - 0.001},${kansas.lat - 0.001},${kansas.lng + 0.001},${kansas.lat + 0.001}&width=3&height=3&x=1&y=1`
  const good = `${map}&layers=${layer}&query_layers=${layer}${box}&info_format=application/json&time=2024-01-01T00:00:00.000Z`
  expect(await fetchJsonFromServices<unknown>(rasterServices, good)).toMatchObject({
    features: [{ properties: { PALETTE_INDEX: nlcdAt(kansas, 2024)! } }],
  })
  expect(await sendToServices(rasterServices, good.replaceAll(layer, 'none'))).toMatchObject({
    status: 200,
    type: 'application/vnd.ogc.se_xml',
  })
  expect(await sendToServices(rasterServices, `${map.replace('1.1.1', '1.3.0')}&layers=${layer}`)).toBeNull()
})
