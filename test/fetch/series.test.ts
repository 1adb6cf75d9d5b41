import { expect, test } from 'bun:test'
import { UpstreamError } from '../../src/model/error.ts'
import type { Grid } from '../../src/model/source.ts'
import { contentsOf, datasetOf, fieldOf } from '../support/catalog-contents.ts'
import { deskOf, way } from './fake-context.ts'

const cellOf = (cell: number | null, year?: number): Grid => ({
  width: 1,
  height: 1,
  at_x: 0.5,
  at_y: 0.5,
  cells: [cell],
  ...(year !== undefined && { year }),
})
const contents = contentsOf(
  [fieldOf('crops', { dataset: 'crops', op: 'series', editions: [-2, -1, 0], reducer: 'join', separator: ' > ' })],
  { datasets: { crops: datasetOf({ shape: 'raster' }) } },
)

/** A file of one year, as a pack is. */
const pack = () =>
  way(
    ({ edition = 0 }) => {
      if (edition !== 0) throw new UpstreamError('unsupported_request', 'A pack has one edition.')
      return cellOf(2021)
    },
    { driver: 'pack', vintage: '2021' },
  )
const years = (newest: number) =>
  way(({ edition = 0 }) => cellOf(newest + (edition as number), newest + (edition as number)), {
    driver: 'imageserver',
  })

test('a series over years is whole from one way: what has too few of them gives none', async () => {
  const network = years(2025)
  expect(await deskOf(contents, { crops: [pack(), network] }).ask('crops')).toMatchObject({
    status: 'ok',
    value: '2023 > 2024 > 2025',
    driver: 'imageserver',
  })
  expect(network.asked.map(({ edition }) => edition)).toEqual([-2, -1, 0])
})

test('with the way of one year alone a series fails, and says why', async () => {
  expect(await deskOf(contents, { crops: [pack()] }).ask('crops')).toMatchObject({
    status: 'failed',
    error: 'unsupported_request: A pack has one edition.',
    retryable: false,
  })
})

test('a series whose years are not counted from the same newest is refused: one of them was kept from before a new year came', async () => {
  const kept = way(
    ({ edition = 0 }) =>
      edition === 0 ? cellOf(2024, 2024) : cellOf(2025 + (edition as number), 2025 + (edition as number)),
    { driver: 'imageserver' },
  )
  expect(await deskOf(contents, { crops: [kept] }).ask('crops')).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^bad_response: .*2023, 2024, 2024/),
    retryable: true,
  })
  // The next way has them all of one time.
  expect(await deskOf(contents, { crops: [kept, years(2025)] }).value('crops')).toBe('2023 > 2024 > 2025')
})
