import { afterAll, describe, expect, test } from 'bun:test'
import type { AreaAnswer } from '../../src/areas/area-answer.ts'
import { measureGeometry } from '../../src/areas/shape/area-geometry.ts'
import type { AreaGeometry } from '../../src/areas/area-schema.ts'
import { packRings } from '../../src/areas/shape/geometry-messages.ts'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import { randomComb } from '../areas/comb.ts'
import { positionsOf, seededRandom } from '../areas/random-polygons.ts'
import { openTestService } from '../support/test-service.ts'

const [x, y, size] = [-105, 39.5, 0.2]
const star = Array.from({ length: 5000 }, (_, i) => {
  const angle = (2 * Math.PI * i) / 5000
  const radius = i % 2 === 0 ? size : size / 2
  return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]
})
const geometry = { type: 'Polygon', coordinates: [[...star, star[0]]] }

/** Answers a shape when the overlay worker executes a script. */
async function answerWith(script: string, shape: object = { geometry }): Promise<Response> {
  await using service = openServiceWith(script)
  return await service.post('/v1/areas', {
    ...shape,
    fields: ['county', 'timezone', 'summer_solstice_day_length_hours'],
  })
}

function openServiceWith(script: string) {
  const overlay = () => new Worker(`data:text/javascript,${encodeURIComponent(`self.onmessage = ${script}`)}`)
  return openTestService({}, { replacedWorkers: { overlay }, limits_ms: { overlay: 8000 } })
}

const waitForever = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'
const fail = 'throw new Error("broken")'
const measured = await measureGeometry(geometry as AreaGeometry, [])
if (measured.kind === 'line') throw new Error('The star is a polygon.')
const { rings, area_m2, extent, point } = measured
const outline = `{ ...${JSON.stringify({ area_m2, extent, point })}, rings: new Float64Array(${JSON.stringify([...packRings(rings)])}) }`
const returnOutline = `postMessage(${outline})`
const tooLarge =
  'The outline takes longer than 8 s to compare with the features here. Simplify it, or ask about a smaller area'

/** Expects that the fields that compare the outline with features failed, and that the other one has a value. */
async function expectFailedFields(response: Response, error: string): Promise<void> {
  expect(response.status).toBe(200)
  const { fields } = (await response.json()) as AreaAnswer
  expect(fields.summer_solstice_day_length_hours).toMatchObject({ status: 'ok' })
  expect(fields.timezone).toMatchObject({ status: 'failed', error, retryable: false })
  expect(fields.county).toMatchObject({ status: 'failed', error: error.replace('timezone', 'county') })
}

test('when the overlays of an area take too long, it is too large: its fields, or the outline itself', async () => {
  const [inFields, inOutline] = await Promise.all([
    answerWith(`({ data }) => { if (data.kind === 'overlay') ${waitForever}; ${returnOutline} }`),
    answerWith(`() => ${waitForever}`),
  ])
  await expectFailedFields(inFields, `too_large: ${tooLarge}.`)
  expect(inOutline.status).toBe(422)
  expect(await inOutline.json()).toMatchObject({ detail: [{ loc: ['body', 'geometry'], msg: tooLarge }] })
})

test('a broken overlay thread is an internal error: of the fields, or of the request', async () => {
  const inFields = await answerWith(`({ data }) => { if (data.kind === 'overlay') ${fail}; ${returnOutline} }`)
  await expectFailedFields(inFields, 'internal_error: An internal error occurred while timezone was evaluated.')
  const inOutline = await answerWith(`() => { ${fail} }`)
  expect(inOutline.status).toBe(500)
})

/** A line of sharp turns, with 250 vertices in the buffer for each. */
const zigzag = Array.from({ length: 2000 }, (_, i) => [-105 + 0.00002 * i, 39.74 + (i % 2 === 0 ? 0.0001 : -0.0001)])
const corridor = { line: { type: 'LineString', coordinates: zigzag }, width_m: 5000 }
const rejectAll =
  '() => postMessage({ violations: [{ type: "value_error", loc: ["here"], msg: "seen by the thread", input: null }] })'

describe('the overlay thread measures', () => {
  test.each([
    ['a corridor of sharp turns', { corridor }],
    ['a polygon with many edges side by side', { geometry }],
    [
      'many small polygons',
      {
        geometry: {
          type: 'MultiPolygon',
          coordinates: Array.from({ length: 2000 }, (_, i) => {
            const lng = -105 + i / 10_000
            return [[...[39, 39.1, 39.2].map((lat, corner) => [lng + (corner % 2) / 20_000, lat]), [lng, 39]]]
          }),
        },
      },
    ],
  ])('%s', async (_name, shape) => {
    const response = await answerWith(rejectAll, shape)
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({ detail: [{ loc: ['here'], msg: 'seen by the thread' }] })
  })

  test('the row of a run, which fails when it takes too long, and the run goes on', async () => {
    await using service = openServiceWith(`() => ${waitForever}`)
    const circle = { around: { lat: 39.7, lng: -105, radius_m: 50 } }
    const request = { areas: [{ corridor }, circle], fields: ['county'] }
    const submitted = await service.post('/v1/runs', { kind: 'area_batch', request }, { prefer: 'wait=30' })
    const { result } = (await submitted.json()) as { result: { results: object[] } }
    const error = { error: 'row_invalid', message: `corridor: ${tooLarge}.` }
    expect(result.results).toMatchObject([{ ok: false, error }, { ok: true }])
  })
})

describe('the overlay thread draws', () => {
  const point = { type: 'Point', coordinates: [1, 2] }
  const drawPoint = `postMessage({ geometry: ${JSON.stringify(point)}, simplified_m: 0 })`

  test('a large outline', async () => {
    const script = `({ data }) => { if (data.kind === 'draw') ${drawPoint}; else if (data.kind === 'measure') ${returnOutline}; else ${fail} }`
    const response = await answerWith(script, { geometry, include: ['outline'] })
    expect(await response.json()).toMatchObject({ outline: point })
  })

  test('the geometry of a publisher', async () => {
    await using service = openServiceWith(`() => ${drawPoint}`)
    const query = { lat: 71.29, lng: -156.78, fields: ['state'], include: ['geometry'] }
    const { fields } = (await (await service.post('/v1/fetch', query)).json()) as FetchAnswer
    expect(fields.state).toMatchObject({ geometry: { features: [{ geometry: point }] } })
  })
})

describe('a comb with long teeth', () => {
  const service = openTestService()
  afterAll(() => service.close())

  test.each([
    { vertices: 10_000, angle_degrees: 0 },
    { vertices: 6_000, angle_degrees: 10 },
    { vertices: 4_000, angle_degrees: 22 },
    { vertices: 3_000, angle_degrees: 45 },
    { vertices: 2_000, angle_degrees: 67 },
    { vertices: 1_000, angle_degrees: 90 },
  ])('of $vertices vertices at $angle_degrees degrees has the area of its teeth', async (comb) => {
    const { ring, area_m2 } = randomComb(seededRandom(comb.vertices), { ...comb, west: -105.2, south: 39.4, size: 0.4 })
    const coordinates = [positionsOf(ring)]
    const body = { geometry: { type: 'Polygon', coordinates }, fields: ['county', 'timezone'] }
    const answer = (await (await service.post('/v1/areas', body)).json()) as AreaAnswer
    expect(answer.area_m2! / area_m2).toBeCloseTo(1, 9)
    for (const { status, covered_share } of Object.values(answer.fields)) {
      expect(status).toBe('ok')
      expect(covered_share).toBeCloseTo(1, 9)
    }
  })
})
