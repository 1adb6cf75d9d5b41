import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { afterEach, expect, test } from 'bun:test'
import { openOnlineService } from '../upstreams/online-service.ts'
import { usesPostgres } from '../support/test-state.ts'

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

/** The database, locked by another connection until it is released. */
function held(folder: string): () => void {
  const db = new Database(join(folder, 'state.db'))
  db.run('PRAGMA busy_timeout = 5000')
  db.run('BEGIN IMMEDIATE')
  return () => {
    db.run('ROLLBACK')
    db.close()
  }
}

test.skipIf(usesPostgres)(
  'while another process has locked the database, a run pauses, a submission waits, and other requests are answered; then both continue, and nothing is lost or answered twice',
  async () => {
    const service = openOnlineService()
    opened.push(service)
    service.upstreams.delay(20)
    const { run_id } = (await (await service.post('/v1/runs', requestFor(0, 60))).json()) as { run_id: string }
    const { promise: underWay, resolve } = Promise.withResolvers<void>()
    service.app.runs.subscribe({ id: 'owner' }, run_id, ({ done }) => {
      if (done > 5) resolve()
    })
    await underWay

    const letGo = held(service.app.config.data)
    let isTakenIn = false
    const submission = service.post('/v1/runs', requestFor(1000, 3)).then((response) => {
      isTakenIn = true
      return response
    })
    const before = (await service.app.runs.find(owner, run_id)).done
    for (let i = 0; i < 50; i++) {
      expect((await service.send('/healthz')).status).toBe(200)
      expect((await service.send(`/v1/runs/${run_id}`)).status).toBe(200)
      await new Promise((resolveSoon) => setImmediate(resolveSoon))
    }
    expect((await service.post('/v1/fetch', { lat: 39.7392, lng: -104.9903, fields: ['county'] })).status).toBe(200)
    expect([isTakenIn, (await service.app.runs.find(owner, run_id)).done]).toEqual([false, before])
    letGo()

    const taken = await submission
    expect(taken.status).toBe(202)
    const second = (await taken.json()) as { run_id: string }
    const runs = await Promise.all(
      [run_id, second.run_id].map((id) => service.app.runs.waitUntilFinished(owner, id, AbortSignal.timeout(20_000))),
    )
    expect(runs.map(({ status, ok }) => [status, ok])).toEqual([
      ['done', 60],
      ['done', 3],
    ])
    // Calls are not compared: hedging may query a slow source twice.
    const answered = /^fieldstone_run_locations_total\{outcome="ok"\} (\d+)$/m.exec(
      await (await service.send('/metrics')).text(),
    )
    expect(answered?.[1]).toBe('63')
  },
)
