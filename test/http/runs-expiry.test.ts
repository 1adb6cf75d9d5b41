import { expect, test } from 'bun:test'
import { openTestService } from '../support/test-service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const day_ms = 86_400_000

test('a run is available for thirty days, then it is not found, and after two sweeps that are half an hour apart it is deleted, also when the service was restarted in between', async () => {
  let offset_ms = 0
  const now = () => new Date(Date.now() + offset_ms)
  const folder = temporaryFolder()
  const service = openTestService({ FIELDSTONE_DATA: folder }, { now })
  const response = await service.post(
    '/v1/runs',
    { kind: 'fetch_batch', request: { locations: [{ lat: 39.7392, lng: -104.9903 }], fields: ['county'] } },
    { prefer: 'wait=20', 'idempotency-key': 'k' },
  )
  const { run_id, created_at, expires_at } = (await response.json()) as {
    run_id: string
    created_at: string
    expires_at: string
  }
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(30 * day_ms)
  const unknown = await (await service.send('/v1/runs/run_00000000000000000000000000')).text()
  const ways = ['', '/events', '/artifacts/csv', '/artifacts/geojson', '/artifacts/parquet']
  const ask = () =>
    Promise.all(
      ways.map(async (way) => {
        const answer = await service.send(`/v1/runs/${run_id}${way}`)
        return [answer.status, answer.status === 404 ? await answer.text() : '']
      }),
    )
  const listed = async () => ((await (await service.send('/v1/runs')).json()) as { items: unknown[] }).items.length

  offset_ms = 30 * day_ms - 60_000
  // A token without expiry, because the default token expires before this test ends.
  expect([(await ask()).map(([status]) => status), await listed()]).toEqual([ways.map(() => 200), 1])
  await service.app.runs.sweep()
  offset_ms = 30 * day_ms
  expect([await ask(), await listed()]).toEqual([ways.map(() => [404, unknown]), 0])

  // A clock that was forty days ahead for one sweep deletes nothing.
  offset_ms = 40 * day_ms
  await service.app.runs.sweep()
  offset_ms = 0
  await service.app.runs.sweep()
  expect((await ask()).map(([status]) => status)).toEqual(ways.map(() => 200))

  const countStoredRuns = async () => (await service.state.query('SELECT id FROM runs')).length
  offset_ms = 31 * day_ms
  await service.app.runs.sweep()
  await service.app.runs.sweep()
  expect(await countStoredRuns()).toBe(1)
  await service.close()
  offset_ms += 1_800_000
  const restarted = openTestService({ FIELDSTONE_DATA: folder }, { now })
  await restarted.app.runRetention()
  expect(await countStoredRuns()).toBe(0)
  await restarted.close()
})
