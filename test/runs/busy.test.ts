import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { afterEach, expect, test } from 'bun:test'
import { openOnlineHouse } from '../upstreams/online-house.ts'

const opened: { close(): void }[] = []
afterEach(() => opened.splice(0).forEach((it) => it.close()))

const owner = { id: 'owner', name: 'owner', scopes: new Set<never>() }
const requestFor = (from: number, count: number) => ({
  kind: 'fetch_batch',
  request: {
    locations: Array.from({ length: count }, (_, i) => ({ lat: 25.79, lng: -80.13 - (from + i) / 10_000 })),
    fields: ['fema_flood_zone'],
  },
})

/** The database, held by a connection of somebody else's until it is let go. */
function held(folder: string): () => void {
  const db = new Database(join(folder, 'state.db'))
  db.run('PRAGMA busy_timeout = 5000')
  db.run('BEGIN IMMEDIATE')
  return () => {
    db.run('ROLLBACK')
    db.close()
  }
}

test('while another process holds the database a run stands still, a submission waits, and everybody else is answered; then both go on, and nothing is lost or asked twice', async () => {
  const house = openOnlineHouse()
  opened.push(house)
  house.upstreams.delay(20)
  const { run_id } = (await (await house.post('/v1/runs', requestFor(0, 60))).json()) as { run_id: string }
  const { promise: underWay, resolve } = Promise.withResolvers<void>()
  house.app.runs.subscribe(run_id, ({ done }) => {
    if (done > 5) resolve()
  })
  await underWay

  const letGo = held(house.app.config.data)
  let isTakenIn = false
  const submission = house.post('/v1/runs', requestFor(1000, 3)).then((response) => {
    isTakenIn = true
    return response
  })
  const before = house.app.runs.find(owner, run_id).done
  for (let i = 0; i < 50; i++) {
    expect([(await house.send('/healthz')).status, (await house.send(`/v1/runs/${run_id}`)).status]).toEqual([200, 200])
    await new Promise((resolveSoon) => setImmediate(resolveSoon))
  }
  expect((await house.post('/v1/fetch', { lat: 39.7392, lng: -104.9903, fields: ['county'] })).status).toBe(200)
  expect([isTakenIn, house.app.runs.find(owner, run_id).done]).toEqual([false, before])
  letGo()

  const taken = await submission
  expect(taken.status).toBe(202)
  const second = (await taken.json()) as { run_id: string }
  const runs = await Promise.all(
    [run_id, second.run_id].map((id) => house.app.runs.waitUntilFinished(owner, id, AbortSignal.timeout(20_000))),
  )
  expect(runs.map(({ status, ok }) => [status, ok])).toEqual([
    ['succeeded', 60],
    ['succeeded', 3],
  ])
  // Not the calls: a source that is slow for a moment may be asked a second time for one answer.
  const answered = /^fieldstone_run_locations_total\{outcome="ok"\} (\d+)$/m.exec(
    await (await house.send('/metrics')).text(),
  )
  expect(answered?.[1]).toBe('63')
}, 30_000)
