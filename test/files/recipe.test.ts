import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Recipe } from '../../src/files/recipe.ts'
import { buildTestPack, featuresIn, workFolder } from '../build-packs/build-test-pack.ts'

const { folder, file, remove } = workFolder()
afterAll(remove)

const buildFromCsv = async (csv: string, recipe: Partial<Recipe>, given: Parameters<typeof buildTestPack>[2] = {}) => {
  const made = await buildTestPack([file('it.csv', csv)], folder, { recipe, ...given })
  return { made, features: featuresIn(made.path) }
}

describe('a recipe for a table', () => {
  test('skips unit lines, reads blanks as null, and keeps only the listed columns', async () => {
    const { features } = await buildFromCsv(
      'LAT,LON,WIND,NAME,MORE\ndegrees_north,degrees_east,kts, , \n40,-100,64, ,x\n41,-101, ,ALPHA,y\n',
      { skip_rows: 1, keep: ['WIND', 'name'] },
    )
    expect(features.map(({ properties }) => properties)).toEqual([
      { WIND: 64, NAME: null },
      { WIND: null, NAME: 'ALPHA' },
    ])
  })

  test("combines its condition with the operator's and counts the excluded features", async () => {
    const { made, features } = await buildFromCsv(
      'lat,lng,a,b\n40,-100,1,1\n40,-101,1,2\n40,-102,2,2\n',
      { where: 'a = 1' },
      { where: 'b = 2' },
    )
    expect([features.map(({ properties }) => properties.lng), made.excluded]).toEqual([[-101], 2])
    expect(buildFromCsv('lat,lng,a\n40,-100,1\n', { where: 'a > 1' })).rejects.toThrow(
      'No feature passes the condition a > 1.',
    )
    expect(buildFromCsv('lat,lng,a\n40,-100,1\n', { where: 'nothing > 1' })).rejects.toThrow(
      'nothing > 1 cannot be evaluated',
    )
  })

  test('keeps the feature with the largest value in each group, the first in a tie; null sorts last', async () => {
    const csv =
      'lat,lng,yr,om,len\n40,-100,2011,1,5\n40,-101,2011,1,20.5\n40,-102,2011,2,1\n40,-103,2012,1,3\n40,-104,2012,1,3\n40,-105,2013,1,\n40,-106,2013,1,0\n'
    const { features } = await buildFromCsv(csv, { one_of: { by: ['yr', 'om'], most: 'len' } })
    expect(new Set(features.map(({ properties }) => properties.lng))).toEqual(new Set([-101, -102, -103, -106]))
    expect(buildFromCsv(csv, { one_of: { by: ['yr', 'no_such'], most: 'len' } })).rejects.toThrow(
      'The layer shapes needs no_such, but the input has no such column.',
    )
  })

  test('keeps all pieces of a selected polygon', async () => {
    const round = (lng: number) =>
      Array.from({ length: 601 }, (_, i) => [
        lng + Math.cos((Math.PI * (i % 600)) / 300),
        40 + Math.sin((Math.PI * (i % 600)) / 300),
      ])
    const feature = (lng: number, size: number) => ({
      type: 'Feature',
      properties: { key: 1, size },
      geometry: { type: 'Polygon', coordinates: [round(lng)] },
    })
    const path = file(
      'round.json',
      JSON.stringify({ type: 'FeatureCollection', features: [feature(-100, 1), feature(-90, 2)] }),
    )
    const { features } = await buildTestPack([path], folder, { recipe: { one_of: { by: ['key'], most: 'size' } } })
    const kept = await buildTestPack([path], folder, { where: 'size = 2' })
    expect([features, kept.features]).toEqual([1, 1])
    const rows = featuresIn(
      (await buildTestPack([path], folder, { recipe: { one_of: { by: ['key'], most: 'size' } } })).path,
    )
    expect(rows.length).toBe(featuresIn(kept.path).length)
    expect(rows.length).toBeGreaterThan(1)
  })

  test('can set a column to one value in every feature', async () => {
    const { features } = await buildFromCsv('lat,lng\n40,-100\n', {}, { constantColumns: { KIND: 'carbonate' } })
    expect(features[0]!.properties.KIND).toBe('carbonate')
  })
})

describe('joining points into lines', () => {
  const recipe: Partial<Recipe> = { lines: { by: ['SID'], order: 'TIME' } }
  const linesOf = async (rows: string[]) => {
    const { features } = await buildFromCsv(['SID,TIME,LAT,LON,WIND', ...rows].join('\n') + '\n', recipe)
    return features
      .map(({ parts, properties }) => ({
        kind: parts[0]!.kind,
        path: parts[0]!.paths[0],
        sid: properties.SID,
        wind: properties.WIND,
      }))
      .toSorted((a, b) => String(a.sid).localeCompare(String(b.sid)) || Number(b.wind) - Number(a.wind))
  }

  test('joins each point to the next in time, whatever the row order, and keeps the properties of the first', async () => {
    expect(await linesOf(['A,03,41,-100,60', 'A,00,40,-100,90', 'A,06,42,-101,30'])).toEqual([
      { kind: 'line', path: [-100, 40, -100, 41], sid: 'A', wind: 90 },
      { kind: 'line', path: [-100, 41, -101, 42], sid: 'A', wind: 60 },
      { kind: 'point', path: [-101, 42], sid: 'A', wind: 30 },
    ])
  })

  test('never joins different keys, keeps a single point, and drops a repeated point', async () => {
    expect(await linesOf(['A,00,40,-100,90', 'A,00,40,-100,90', 'A,03,41,-100,60', 'B,03,30,-90,50'])).toEqual([
      { kind: 'line', path: [-100, 40, -100, 41], sid: 'A', wind: 90 },
      { kind: 'point', path: [-100, 41], sid: 'A', wind: 60 },
      { kind: 'point', path: [-90, 30], sid: 'B', wind: 50 },
    ])
  })

  test('crosses the antimeridian the short way, from either side', async () => {
    expect(
      (await linesOf(['A,00,51,179.5,90', 'A,03,51,-179.5,60', 'B,00,51,-179,90', 'B,03,52,179,60']))
        .filter(({ kind }) => kind === 'line')
        .map(({ path }) => path),
    ).toEqual([
      [179.5, 51, 180.5, 51],
      [-179, 51, -181, 52],
    ])
  })

  test('skips and counts points without a coordinate, and rejects other geometries and missing columns', async () => {
    const { made } = await buildFromCsv('SID,TIME,LAT,LON\nA,00,40,-100\nA,03,x,-100\nA,06,42,-100\nA,09,,\n', recipe)
    expect([made.features, made.invalid, made.empty]).toEqual([2, 1, 1])
    expect(buildFromCsv('SID,LAT,LON\nA,40,-100\n', recipe)).rejects.toThrow(
      'Joining points into lines needs the columns SID, TIME, but the input has no column TIME. Its columns: SID, LAT, LON.',
    )
    expect(buildFromCsv('SID,TIME,wkt\nA,00,"LINESTRING(0 0,1 1)"\n', recipe)).rejects.toThrow(
      'Only points can be joined into lines',
    )
  })
})

describe('records without column names', () => {
  const records: NonNullable<Recipe['records']> = {
    member: 'CO.dat',
    begins: 'CO',
    columns: ['type', 'id', 'd', 'm', 's', 'side', 'D', 'M', 'S', 'SIDE'],
    lat: ['d', 'm', 's', 'side'],
    lng: ['D', 'M', 'S', 'SIDE'],
    joins: [{ member: 'RA.dat', begins: 'RA', columns: ['type', 'id', 'status'], by: 'id', take: ['status'] }],
  }
  const ofRecords = async (co: string, ra: string) => {
    file('RA.dat', ra)
    const made = await buildTestPack([file('CO.dat', co)], folder, { recipe: { records, keep: ['id', 'status'] } })
    return { made, features: featuresIn(made.path) }
  }

  test('converts degrees, minutes and seconds in every quadrant, ignores quotes, and joins the other member', async () => {
    const { features } = await ofRecords(
      'CO|1|40|30|36.0|N|105|15|0|W\r\nCO|2"|10|0|0|S|20|0||E\r\n',
      'RA|1|C\r\nRA|9|"G\r\n',
    )
    expect(
      new Map(features.map(({ parts, properties }) => [properties.id, [parts[0]!.paths[0], properties.status]])),
    ).toEqual(
      new Map([
        ['1', [[-105.25, 40.51], 'C']],
        ['2"', [[20, -10], null]],
      ]),
    )
  })

  test('skips continuation lines, counts missing coordinates, and marks impossible degrees as invalid', async () => {
    const { made } = await ofRecords(
      'CO|1|40|0|0|N|105|0|0|W|A text\nthat goes on|2|40|0|0|N|105|0|0|W\nCO|3||||||||\nCO|4|40|60|0|N|105|0|0|W\nCO|5|40|0|0|W|105|0|0|N\nCO|6|40|0|0|NS|105|0|0|W\n',
      'RA|1|C\n',
    )
    expect([made.features, made.empty, made.invalid, made.formats]).toEqual([5, 1, 3, ['records (CO.dat)']])
  })

  test('reports a missing member, and reads a file of another format as that format', async () => {
    expect(
      buildTestPack([file('lone/../CO.dat', 'CO|1|40|0|0|N|105|0|0|W\n')], folder, {
        recipe: { records: { ...records, joins: [{ ...records.joins![0]!, member: 'XX.dat' }] } },
      }),
    ).rejects.toThrow('XX.dat is not next to it')
    const { made } = await buildFromCsv('lat,lng,id\n40,-105,1\n', { records })
    expect(made.formats).toEqual(['CSV'])
    expect(buildTestPack([join(folder, 'nowhere.zip')], folder, { recipe: { records } })).rejects.toThrow(
      'does not exist',
    )
  })
})
