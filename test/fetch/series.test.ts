import { expect, test } from 'bun:test'
import { UpstreamError } from '../../src/model/error.ts'
import type { Grid } from '../../src/model/source.ts'
import { contentsOf, datasetOf, fieldOf } from '../support/catalog-contents.ts'
import { createTestContext, fakeOption } from './fake-context.ts'

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

/** An option with one edition, such as a pack. */
const pack = () =>
  fakeOption(
    ({ edition = 0 }) => {
      if (edition !== 0) throw new UpstreamError('unsupported_request', 'A pack has one edition.')
      return cellOf(2021)
    },
    { driver: 'pack', vintage: '2021' },
  )
const years = (newest: number) =>
  fakeOption(({ edition = 0 }) => cellOf(newest + (edition as number), newest + (edition as number)), {
    driver: 'imageserver',
  })

test('a series comes from a single option that has all its editions', async () => {
  const network = years(2025)
  expect(await createTestContext(contents, { crops: [pack(), network] }).ask('crops')).toMatchObject({
    status: 'ok',
    value: '2023 > 2024 > 2025',
    driver: 'imageserver',
  })
  expect(network.queries.map(({ edition }) => edition)).toEqual([-2, -1, 0])
})

test('a series fails when its only option has too few editions', async () => {
  expect(await createTestContext(contents, { crops: [pack()] }).ask('crops')).toMatchObject({
    status: 'failed',
    error: 'unsupported_request: A pack has one edition.',
    retryable: false,
  })
})

test('a series is rejected when its editions are counted from different newest years, because one was cached before the new year', async () => {
  const outdated = fakeOption(
    ({ edition = 0 }) =>
      edition === 0 ? cellOf(2024, 2024) : cellOf(2025 + (edition as number), 2025 + (edition as number)),
    { driver: 'imageserver' },
  )
  expect(await createTestContext(contents, { crops: [outdated] }).ask('crops')).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^bad_response: .*2023, 2024, 2024/),
    retryable: true,
  })
  // The next option has consistent editions.
  expect(await createTestContext(contents, { crops: [outdated, years(2025)] }).value('crops')).toBe(
    '2023 > 2024 > 2025',
  )
})
