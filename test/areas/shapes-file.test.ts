import { describe, expect, test } from 'bun:test'
import { strToU8, zipSync } from 'fflate'
import proj4 from 'proj4'
import { readShapesFile } from '../../src/areas/shape/shapes-file.ts'
import { nad83, shapefileOf, squareAt, type DrawnShape } from '../upstreams/bulk/shapefile.ts'

const denver = { lat: 39.7392, lng: -104.9903 }
const square = squareAt(denver, 0.01)
const polygon = { type: 'Polygon', coordinates: [square] }
const line = { type: 'LineString', coordinates: square.slice(0, 3) }

const read = (content: string | Uint8Array, name = 'shapes') =>
  readShapesFile(new Uint8Array(typeof content === 'string' ? strToU8(content) : content), name)
const rejectionOf = (content: string | Uint8Array) =>
  read(content).then(
    () => 'The file was accepted.',
    (error: Error) => error.message,
  )
const readJson = (content: object) => read(JSON.stringify(content))
const featureOf = (geometry: object | null, properties: object = {}) => ({ type: 'Feature', geometry, properties })
const collectionOf = (...features: object[]) => ({ type: 'FeatureCollection', features })

describe('GeoJSON', () => {
  test('may be a geometry, a feature or a collection, with names and attributes', async () => {
    expect((await readJson(polygon)).shapes).toEqual([{ name: 'Shape 1', geometry: polygon as never, properties: {} }])
    const { shapes, ignored } = await readJson(
      collectionOf(
        featureOf(polygon, { NAME: 'Civic Center', zoning: 'R1' }),
        featureOf({ type: 'Point', coordinates: [0, 0] }),
        featureOf(null),
        featureOf({ type: 'GeometryCollection', geometries: [line, line] }),
      ),
    )
    expect(ignored).toBe(2)
    expect(shapes).toEqual([
      { name: 'Civic Center', geometry: polygon as never, properties: { NAME: 'Civic Center', zoning: 'R1' } },
      {
        name: 'Shape 4',
        geometry: { type: 'MultiLineString', coordinates: [line.coordinates, line.coordinates] },
        properties: {},
      },
    ])
  })

  test('in a declared coordinate system becomes degrees', async () => {
    const mercator = square.map((at) => proj4('EPSG:3857').forward(at))
    const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::3857' } }
    const { shapes } = await readJson({ ...featureOf({ type: 'Polygon', coordinates: [mercator] }), crs })
    const [ring] = shapes[0]!.geometry.coordinates as [number, number][][]
    for (const [i, [lng, lat]] of ring!.entries()) {
      expect(lng).toBeCloseTo(square[i]![0], 9)
      expect(lat).toBeCloseTo(square[i]![1], 9)
    }
  })

  test.each([
    ['', 'shapes is empty (0 bytes).'],
    ['a,b\n1,2', 'shapes is in a format that is not supported here.'],
    ['{"type": "FeatureColl', 'shapes is not valid JSON'],
    [JSON.stringify({ type: 'Topology', arcs: [] }), 'shapes is TopoJSON or Esri JSON.'],
    [JSON.stringify(collectionOf()), 'shapes has no polygons or lines.'],
    [JSON.stringify({ type: 'Point', coordinates: [1, 2] }), 'It has 1 feature of other types.'],
    [JSON.stringify({ type: 'Polygon', coordinates: [[[1, 2]]] }), 'Feature 1 of shapes has no valid geometry.'],
    [
      JSON.stringify({
        type: 'Polygon',
        coordinates: [
          [
            [500_000, 4_400_000],
            [500_100, 4_400_000],
            [500_000, 4_400_100],
          ],
        ],
      }),
      'Feature 1 of shapes has the position 500000, 4400000, which is not on the earth.',
    ],
    [
      JSON.stringify({ type: 'GeometryCollection', geometries: [polygon, line] }),
      'Feature 1 of shapes has polygons and lines.',
    ],
  ])('%p is rejected: %s', async (content, message) => expect(await rejectionOf(content)).toContain(message))
})

test('well-known text is one shape, with its holes', async () => {
  const hole = squareAt(denver, 0.001)
  const textOf = (ring: readonly (readonly number[])[]) => `(${ring.map((at) => at.join(' ')).join(', ')})`
  const { shapes } = await read(`SRID=4326;POLYGON (${textOf(square)}, ${textOf(hole)})`)
  expect(shapes).toEqual([
    { name: 'Shape 1', geometry: { type: 'Polygon', coordinates: [square, hole] }, properties: {} },
  ])
  expect((await read(`MultiLineString Z (${textOf(line.coordinates)})`)).shapes[0]!.geometry).toEqual(line as never)
  expect(await rejectionOf('POLYGON ((1 2, 3')).toContain('shapes is not valid well-known text: ')
  expect(await rejectionOf('POINT (1 2)')).toContain('It has 1 feature of other types.')
})

const coordinatesText = (positions: readonly (readonly number[])[]) =>
  positions.map((position) => [...position, 1600].join(',')).join('\n      ')
const kml = `<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>All</name>
  <Placemark><name>Site &amp; yard</name><ExtendedData><Data name="zoning"><value>R1</value></Data></ExtendedData>
    <Polygon><innerBoundaryIs><LinearRing><coordinates>${coordinatesText(squareAt(denver, 0.001))}</coordinates></LinearRing></innerBoundaryIs>
      <outerBoundaryIs><LinearRing><coordinates> ${coordinatesText(square)} </coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>
  <Folder><Placemark><name>Office</name><Point><coordinates>-105,39.7</coordinates></Point></Placemark>
  <Placemark><MultiGeometry><LineString><coordinates>${coordinatesText(line.coordinates)}</coordinates></LineString></MultiGeometry></Placemark></Folder>
</Document></kml>`

describe('KML', () => {
  const expected = {
    ignored: 1,
    shapes: [
      {
        name: 'Site & yard',
        geometry: { type: 'Polygon' as const, coordinates: [square, squareAt(denver, 0.001)] },
        properties: { name: 'Site & yard', zoning: 'R1' },
      },
      { name: 'Shape 3', geometry: line as never, properties: {} },
    ],
  }

  test('has a shape for each placemark, with holes and extended data; points are counted', async () => {
    expect(await read(kml)).toEqual(expected)
  })

  test('may be in a KMZ archive', async () => {
    expect(await read(zipSync({ 'doc.kml': strToU8(kml), 'files/icon.png': new Uint8Array(9) }))).toEqual(expected)
  })

  test('may be a file to which doc.kml links, as GDAL writes it, but not several', async () => {
    const linkTo = (...paths: string[]) =>
      strToU8(
        `<kml><Document>${paths.map((path) => `<NetworkLink><Link><href>${path}</href></Link></NetworkLink>`).join('')}</Document></kml>`,
      )
    const layers = { 'layers/a.kml': strToU8(kml), 'layers/b.kml': strToU8(kml) }
    expect(await read(zipSync({ 'doc.kml': linkTo('layers/a.kml'), ...layers }))).toEqual(expected)
    const both = zipSync({ 'doc.kml': linkTo('layers/a.kml', 'layers/b.kml'), ...layers })
    expect(await rejectionOf(both)).toContain('shapes contains 2 layers: layers/a.kml, layers/b.kml.')
  })

  test('that is cut off is rejected, so that no placemark is missing', async () => {
    for (let length = kml.indexOf('<kml') + 10; length < kml.length; length += 7)
      expect(await rejectionOf(kml.slice(0, length))).toMatch(/truncated|no valid geometry/)
  })

  test('without numbers is rejected, and so is other XML', async () => {
    const broken = kml.replace('-105.', 'x')
    expect(await rejectionOf(broken)).toContain('Feature 1 of shapes has no valid geometry.')
    expect(await rejectionOf('<html></html>')).toContain('shapes is XML or HTML, but not KML.')
  })
})

describe('a shapefile in a ZIP archive', () => {
  const shapes: DrawnShape[] = [
    { kind: 'polygon', points: square, row: { NAME: 'Civic Center', UNITS: 12 } },
    { kind: 'polygon', points: squareAt(denver, 0.02), row: { NAME: 'Around it', UNITS: 7 } },
  ]

  test('has its attributes, in degrees', async () => {
    const utm = '+proj=utm +zone=13 +datum=NAD83 +units=m'
    const prj =
      'PROJCS["NAD_1983_UTM_Zone_13N",GEOGCS["GCS_North_American_1983",DATUM["D_North_American_1983",SPHEROID["GRS_1980",6378137.0,298.257222101]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["False_Easting",500000.0],PARAMETER["False_Northing",0.0],PARAMETER["Central_Meridian",-105.0],PARAMETER["Scale_Factor",0.9996],PARAMETER["Latitude_Of_Origin",0.0],UNIT["Meter",1.0]]'
    const files = shapefileOf('layers/parcels', shapes, { prj, to: (at) => proj4(utm).forward(at) })
    const found = (await read(zipSync(files))).shapes
    expect(found.map(({ name, properties }) => [name, properties.UNITS])).toEqual([
      ['Civic Center', 12],
      ['Around it', 7],
    ])
    const [ring] = found[0]!.geometry.coordinates as [number, number][][]
    for (const [i, [lng, lat]] of ring!.entries()) {
      expect(lng).toBeCloseTo(square[i]![0], 7)
      expect(lat).toBeCloseTo(square[i]![1], 7)
    }
  })

  test('that is cut after a record is rejected, also without a table, so that no shape is missing', async () => {
    const { 'parcels.dbf': _, ...files } = shapefileOf('parcels', shapes, nad83)
    const complete = files['parcels.shp']!
    expect((await read(zipSync(files))).shapes).toHaveLength(2)
    const firstRecord_bytes = 8 + 2 * new DataView(complete.buffer, complete.byteOffset).getUint32(104)
    const cut = { ...files, 'parcels.shp': complete.subarray(0, 100 + firstRecord_bytes) }
    expect(await rejectionOf(zipSync(cut))).toBe(
      `parcels.shp is truncated: its header says that it has ${complete.length} bytes, and it has ${100 + firstRecord_bytes}. Copy the file again.`,
    )
  })

  test('without .prj, damaged, or with several layers is rejected', async () => {
    const files = shapefileOf('parcels', shapes, nad83)
    const { 'parcels.prj': _, ...withoutPrj } = files
    expect(await rejectionOf(zipSync(withoutPrj))).toContain('does not declare the coordinate system of parcels.shp')
    const short = { ...files, 'parcels.shp': files['parcels.shp']!.subarray(0, 180) }
    expect(await rejectionOf(zipSync(short))).toContain('parcels.shp is truncated')
    const two = { ...files, ...shapefileOf('roads', shapes, nad83) }
    expect(await rejectionOf(zipSync(two))).toContain('shapes contains 2 layers: parcels.shp, roads.shp.')
    expect(await rejectionOf(zipSync({ 'readme.txt': strToU8('x') }))).toContain(
      'contains no shapefile, KML or GeoJSON',
    )
    const lying = zipSync(files)
    const directory = Buffer.from(lying.buffer).indexOf('PK\x01\x02')
    lying[directory + 24]!++
    expect(await rejectionOf(lying)).toContain('cannot be extracted: Invalid')
    const unknownMethod = zipSync(files)
    unknownMethod[directory + 10] = 12
    expect(await rejectionOf(unknownMethod)).toContain('uses compression method 12. Expected deflated or stored.')
    const archive = zipSync(files)
    archive.fill(0xff, 60, 90)
    expect(await rejectionOf(archive)).toMatch(/cannot be extracted|damaged/)
  })
})
