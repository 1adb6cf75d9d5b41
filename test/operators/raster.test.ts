import { describe, expect, test } from 'bun:test'
import { UpstreamError } from '../../src/model/error.ts'
import type { Grid, RasterQuery } from '../../src/model/source.ts'
import { firstLevelRasterOperator } from '../../src/operators/features/first-level.ts'
import { sampleOperator } from '../../src/operators/raster/sample.ts'
import { seriesOperator } from '../../src/operators/raster/series.ts'
import { windowOperator } from '../../src/operators/raster/window.ts'
import { zonalOperator } from '../../src/operators/raster/zonal.ts'
import {
  recordingSource,
  fieldQuery,
  fakePoint,
  fakeBudget,
  failingSource,
  gridOf,
  rejectionMessage,
  type Args,
} from './fakes.ts'

/** The rows of a grid, separated by commas. A cell without data is `-`. */
const rowsOf = (text: string): (number | null)[][] =>
  text.split(', ').map((row) => row.split(' ').map((cell) => (cell === '-' ? null : Number(cell))))
const raster = (grid: Grid) => recordingSource<RasterQuery, Grid>(() => grid)
const sampleOf = (args: Partial<Args<typeof sampleOperator>>, cell: number | null, more: Partial<Grid> = {}) =>
  sampleOperator.run({ resampling: 'nearest', ...args }, raster(gridOf([[cell]], more)), fieldQuery, fakeBudget)

describe('sample', () => {
  test('requests one cell, or its neighbors too for interpolation', async () => {
    const source = raster(gridOf(rowsOf('1 1 1, 1 1 1, 1 1 1')))
    await sampleOperator.run({ resampling: 'nearest' }, source, fieldQuery, fakeBudget)
    await sampleOperator.run({ resampling: 'bilinear', edition: -1 }, source, fieldQuery, fakeBudget)
    expect(source.queries).toEqual([
      { at: fakePoint, radius_cells: 0 },
      { at: fakePoint, radius_cells: 1, edition: -1 },
    ])
  })

  test('is the cell that contains the point', async () => {
    const grid = gridOf(rowsOf('1 2, 3 4'), { at_x: 1.01, at_y: 0.99 })
    expect(await sampleOperator.run({ resampling: 'nearest' }, raster(grid), fieldQuery, fakeBudget)).toBe(2)
  })

  test.each<[string, Partial<Args<typeof sampleOperator>>, number | null, unknown]>([
    ['nothing', {}, null, null],
    ['a value that means no data', { nodata: [0, 81] }, 81, null],
    ['NaN that means no data', { nodata: ['nan'] }, NaN, null],
    ['a scaled value', { scale: 0.1 }, 15, 1.5],
    ['degrees Celsius', { transform: 'fahrenheit_to_celsius' }, -40, -40],
    ['a label', { classes: { 41: 'Deciduous Forest' } }, 41, 'Deciduous Forest'],
    ['a code of the true values', { true_values: [1, 5], false_values: [4] }, 5, true],
    ['a code of the false values', { true_values: [1, 5], false_values: [4, 5] }, 4, false],
    ['no flag without data', { true_values: [1], false_values: [4], nodata: [-9999] }, -9999, null],
  ])('gives %s', async (_, args, cell, value) => expect(await sampleOf(args, cell)).toEqual(value as never))

  test.each<[string, Partial<Args<typeof sampleOperator>>, number, Partial<Grid>]>([
    ['NaN that is not declared', {}, NaN, {}],
    ['infinity', { nodata: ['nan'] }, Infinity, {}],
    ['a code that is neither true nor false', { true_values: [1, 5], false_values: [4] }, 9, {}],
    ['a code without a label', { classes: { 41: 'Deciduous Forest' } }, 42, {}],
    ['a grid without the point', {}, 1, { at_x: 1.5 }],
    ['a grid with too few cells', {}, 1, { height: 2 }],
    ['a grid with a point that is nowhere', {}, 1, { at_y: NaN }],
  ])('refuses %s', async (_, args, cell, more) => {
    expect(await rejectionMessage(sampleOf(args, cell, more))).toStartWith('bad_value: ')
  })

  test('unresolved classes are a catalog error', async () => {
    expect(await rejectionMessage(sampleOf({ classes: 'dataset' }, 1))).toContain(
      'The catalog did not resolve the classes of the dataset.',
    )
  })

  test('of a failing source fails', async () => {
    expect(
      await rejectionMessage(sampleOperator.run({ resampling: 'nearest' }, failingSource, fieldQuery, fakeBudget)),
    ).toContain('No answer.')
  })
})

describe('bilinear', () => {
  const rows = rowsOf('1 2 3, 4 5 6, 7 8 9')
  const between = (at_x: number, at_y: number, cells: (number | null)[][] = rows, nodata: number[] = []) =>
    sampleOperator.run(
      { resampling: 'bilinear', nodata },
      raster(gridOf(cells, { at_x, at_y })),
      fieldQuery,
      fakeBudget,
    )

  test.each([
    [1.5, 1.5, 5],
    [1.75, 1.5, 5.25],
    [1.5, 1.25, 4.25],
    [1, 1, 3],
    [1.9999, 1.0001, 4.0002],
  ])('at %p, %p of a plane is %p', async (x, y, value) => expect(await between(x, y)).toBeCloseTo(value, 10))

  test('ignores neighbors without data, and is null if the cell of the point has none', async () => {
    expect(await between(1.75, 1.5, rowsOf('1 2 3, 4 5 -, 7 8 9'))).toBe(5)
    expect(await between(1.75, 1.5, rowsOf('1 2 3, 4 5 0, 7 8 9'), [0])).toBe(5)
    expect(await between(1.75, 1.5, rowsOf('1 2 3, 4 0 6, 7 8 9'), [0])).toBeNull()
  })

  test('at the edge of the raster uses the cells inside', async () => expect(await between(0.1, 0.1)).toBe(1))
})

describe('window', () => {
  const plane = (east: number, south: number) =>
    [0, 1, 2].map((y) => [0, 1, 2].map((x) => 100 + east * 10 * x + south * 10 * y))
  const evaluateOperator = (
    method: Args<typeof windowOperator>['method'],
    rows: (number | null)[][],
    args: Partial<Args<typeof windowOperator>> = {},
  ) => windowOperator.run({ cells: 3, method, ...args }, raster(gridOf(rows)), fieldQuery, fakeBudget)

  test.each([
    ['rising east', plane(1, 0), 45, 270],
    ['rising west', plane(-1, 0), 45, 90],
    ['rising north', plane(0, -1), 45, 180],
    ['rising south', plane(0, 1), 45, 0],
    [
      'rising north-east by 3 and 4',
      plane(0.3, -0.4),
      (Math.atan(0.5) * 180) / Math.PI,
      180 + (Math.atan(0.75) * 180) / Math.PI,
    ],
  ])('a plane %s slopes and faces as it does', async (_, rows, slope, aspect) => {
    expect(await evaluateOperator('horn_slope_degrees', rows)).toBeCloseTo(slope, 10)
    expect(await evaluateOperator('horn_aspect_degrees', rows)).toBeCloseTo(aspect, 10)
  })

  test('cells that are not square use both sides', async () => {
    const grid = gridOf(plane(1, 0), { cell_x_m: 5 })
    const slope = await windowOperator.run(
      { cells: 3, method: 'horn_slope_degrees' },
      raster(grid),
      fieldQuery,
      fakeBudget,
    )
    expect(slope).toBeCloseTo((Math.atan(2) * 180) / Math.PI, 10)
  })

  test('flat ground has no aspect, and without a limit level ground has aspect 0', async () => {
    expect(await evaluateOperator('horn_aspect_degrees', plane(0.008, 0), { flat_below_degrees: 0.5 })).toBeNull()
    expect(await evaluateOperator('horn_aspect_degrees', plane(0.009, 0), { flat_below_degrees: 0.5 })).toBe(270)
    expect(await evaluateOperator('horn_aspect_degrees', plane(0, 0))).toBe(0)
    expect(await evaluateOperator('horn_slope_degrees', plane(0, 0))).toBe(0)
  })

  test('ruggedness is the root of the summed squared differences', async () => {
    expect(await evaluateOperator('riley_tri', rowsOf('1 2 3, 4 5 6, 7 8 9'))).toBeCloseTo(
      Math.sqrt(2 * (16 + 9 + 4 + 1)),
      12,
    )
  })

  test('slope is null if one of nine cells has no data', async () => {
    for (const method of ['horn_slope_degrees', 'horn_aspect_degrees', 'riley_tri'] as const)
      expect(await evaluateOperator(method, rowsOf('1 2 -, 4 5 6, 7 8 9'))).toBeNull()
  })

  test('the mean of nine cells leaves out cells without data, and is null without data at the point', async () => {
    expect(await evaluateOperator('mean_of_nine', rowsOf('0 3 -, 12 3 0, 6 0 0'))).toBe(3)
    expect(await evaluateOperator('mean_of_nine', rowsOf('0 3 -, 12 - 0, 6 0 0'))).toBeNull()
  })

  test('a circle contains the cells with a center within the radius', async () => {
    const rows = rowsOf('99 2 99, 4 6 6, 99 8 99')
    expect(await evaluateOperator('range', rows, { radius_m: 10 })).toBe(6)
    expect(await evaluateOperator('centre_minus_mean', rows, { radius_m: 10 })).toBeCloseTo(0.8, 12)
    expect(await evaluateOperator('standard_deviation', rows, { radius_m: 10 })).toBeCloseTo(Math.sqrt(4.16), 12)
    expect(await evaluateOperator('range', rowsOf('99 2 99, - 6 6, 99 8 99'), { radius_m: 10 })).toBe(6)
    expect(await evaluateOperator('range', rowsOf('99 2 99, 4 - 6, 99 8 99'), { radius_m: 10 })).toBeNull()
  })

  test('all statistics of a circle send the same query', async () => {
    const source = raster(gridOf(rowsOf('1 2 3, 4 5 6, 7 8 9')))
    for (const method of ['range', 'centre_minus_mean', 'standard_deviation'] as const)
      await windowOperator.run({ radius_m: 10, method }, source, fieldQuery, fakeBudget)
    expect(source.queries).toEqual(Array.from({ length: 3 }, () => ({ at: fakePoint, radius_cells: 1, radius_m: 10 })))
  })

  test('a circle needs a raster with a cell size and a large enough window', async () => {
    const unsized: Grid = { width: 3, height: 3, at_x: 1.5, at_y: 1.5, cells: [1, 2, 3, 4, 5, 6, 7, 8, 9] }
    expect(
      await rejectionMessage(
        windowOperator.run({ radius_m: 10, method: 'range' }, raster(unsized), fieldQuery, fakeBudget),
      ),
    ).toStartWith('unsupported_request: ')
    expect(
      await rejectionMessage(
        windowOperator.run({ cells: 3, method: 'horn_slope_degrees' }, raster(unsized), fieldQuery, fakeBudget),
      ),
    ).toStartWith('unsupported_request: ')
    expect(
      await rejectionMessage(evaluateOperator('range', rowsOf('1 2 3, 4 5 6, 7 8 9'), { radius_m: 40 })),
    ).toContain('3 by 3 cells, too few for a radius of 40 m')
  })

  test('of a failing source fails', async () => {
    expect(
      await rejectionMessage(
        windowOperator.run({ cells: 3, method: 'riley_tri' }, failingSource, fieldQuery, fakeBudget),
      ),
    ).toContain('No answer.')
  })
})

describe('zonal', () => {
  const args = { radius_m: 10, reducer: 'class_share' as const, numerator: [21, 22], exclude: [0] }
  const evaluateOperator = (rows: (number | null)[][]) =>
    zonalOperator.run(args, raster(gridOf(rows)), fieldQuery, fakeBudget)

  test('is the share of the classes among the counted cells', async () => {
    expect(await evaluateOperator(rowsOf('21 21 21, 22 41 0, 21 - 21'))).toBeCloseTo(200 / 3, 12)
    expect(await evaluateOperator(rowsOf('21 41 21, 41 41 41, 21 41 21'))).toBe(0)
  })

  test('is null if no cell counts', async () => {
    expect(await evaluateOperator(rowsOf('21 0 21, 0 0 -, 21 0 21'))).toBeNull()
  })

  test('uses the counts of a source that counts cells itself', async () => {
    const counting = (counts: Record<string, number>) =>
      zonalOperator.run(
        args,
        raster({ width: 1, height: 1, at_x: 0.5, at_y: 0.5, cells: [null], counts }),
        fieldQuery,
        fakeBudget,
      )
    expect(await counting({ 0: 50, 21: 20, 22: 5, 41: 75 })).toBe(25)
    expect(await counting({ 0: 50 })).toBeNull()
    expect(await counting({})).toBeNull()
  })

  test('requests its circle and edition', async () => {
    const source = raster(gridOf(rowsOf('21 21 21, 21 21 21, 21 21 21')))
    await zonalOperator.run({ ...args, edition: 0 }, source, fieldQuery, fakeBudget)
    expect(source.queries).toEqual([{ at: fakePoint, radius_cells: 0, radius_m: 10, edition: 0 }])
  })

  test('fails for an unresolved code set and for a failing source', async () => {
    const ones = raster(gridOf(rowsOf('1 1 1, 1 1 1, 1 1 1')))
    expect(
      await rejectionMessage(zonalOperator.run({ ...args, numerator: 'crops' }, ones, fieldQuery, fakeBudget)),
    ).toContain('The catalog did not resolve the code set crops.')
    expect(await rejectionMessage(zonalOperator.run(args, failingSource, fieldQuery, fakeBudget))).toContain(
      'No answer.',
    )
  })
})

describe('series', () => {
  const classes = { 1: 'Corn', 5: 'Soybeans', 176: 'Grassland/Pasture' }
  const editions = [0, -1, -2, -3, -4]
  const years = (...newestFirst: (number | null)[]) =>
    recordingSource(({ edition = 0 }: RasterQuery) => gridOf([[newestFirst[-edition]!]]))

  test('requests one cell of each edition', async () => {
    const source = years(1, 1)
    await seriesOperator.run({ editions: [0, -1], reducer: 'mode' }, source, fieldQuery, fakeBudget)
    expect(source.queries).toEqual([
      { at: fakePoint, radius_cells: 0, edition: 0 },
      { at: fakePoint, radius_cells: 0, edition: -1 },
    ])
  })

  test('the mode uses only `keep_codes`, and a tie goes to the newer edition', async () => {
    const args: Args<typeof seriesOperator> = {
      editions,
      reducer: 'mode',
      keep_codes: [1, 5],
      tie: 'most_recent',
      classes,
    }
    expect(await seriesOperator.run(args, years(176, 5, 1, 5, 1), fieldQuery, fakeBudget)).toBe('Soybeans')
    expect(
      await seriesOperator.run(
        { ...args, editions: editions.toReversed() },
        years(176, 5, 1, 5, 1),
        fieldQuery,
        fakeBudget,
      ),
    ).toBe('Soybeans')
    expect(await seriesOperator.run(args, years(176, 176, 176, 5, null), fieldQuery, fakeBudget)).toBe('Soybeans')
    expect(
      await seriesOperator.run({ ...args, reducer: 'mode_count' }, years(176, 5, 1, 5, 5), fieldQuery, fakeBudget),
    ).toBe(3)
    expect(await seriesOperator.run(args, years(176, 176, 176, 176, 176), fieldQuery, fakeBudget)).toBeNull()
    expect(
      await seriesOperator.run(
        { ...args, reducer: 'mode_count' },
        years(176, null, 176, 176, 176),
        fieldQuery,
        fakeBudget,
      ),
    ).toBeNull()
  })

  test('a join has the order of the editions, and is null if one is missing', async () => {
    const args: Args<typeof seriesOperator> = { editions: [-2, -1, 0], reducer: 'join', separator: ' > ', classes }
    expect(await seriesOperator.run(args, years(1, 5, 176), fieldQuery, fakeBudget)).toBe(
      'Grassland/Pasture > Soybeans > Corn',
    )
    expect(await seriesOperator.run(args, years(1, null, 176), fieldQuery, fakeBudget)).toBeNull()
  })

  test('a difference is the first edition minus the last', async () => {
    const args: Args<typeof seriesOperator> = { editions: [0, -1], reducer: 'difference', nodata: [254] }
    expect(await seriesOperator.run(args, years(30, 45), fieldQuery, fakeBudget)).toBe(-15)
    expect(await seriesOperator.run(args, years(30, 254), fieldQuery, fakeBudget)).toBeNull()
  })

  test('one failing edition fails the field', async () => {
    const source = recordingSource(({ edition }: RasterQuery) => {
      if (edition === -1) throw new UpstreamError('timeout', 'No answer.')
      return gridOf([[1]])
    })
    expect(
      await rejectionMessage(
        seriesOperator.run({ editions: [0, -1], reducer: 'mode' }, source, fieldQuery, fakeBudget),
      ),
    ).toContain('No answer.')
  })
})

describe('first_level_raster', () => {
  const surge = (...depths: (number | null)[]) =>
    recordingSource(({ level = 0 }: RasterQuery) => gridOf([[depths[level - 1]!]]))
  const args: Args<typeof firstLevelRasterOperator> = { levels: [1, 2, 3], search: 'linear', above: 0 }

  test('is the first level whose cell passes, or null', async () => {
    const source = surge(null, 0, 4)
    expect(await firstLevelRasterOperator.run(args, source, fieldQuery, fakeBudget)).toBe(3)
    expect(source.queries).toEqual([1, 2, 3].map((level) => ({ at: fakePoint, radius_cells: 0, level })))
    expect(await firstLevelRasterOperator.run(args, surge(null, 0, 0), fieldQuery, fakeBudget)).toBeNull()
  })

  test('of a failing source fails', async () => {
    expect(await rejectionMessage(firstLevelRasterOperator.run(args, failingSource, fieldQuery, fakeBudget))).toContain(
      'No answer.',
    )
  })
})
