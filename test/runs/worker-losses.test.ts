import { afterEach, expect, test } from 'bun:test'
import { ownerId } from '../../src/auth/accounts.ts'
import { workers } from '../../src/workers.ts'
import { newFolder } from '../cli/fieldstone.ts'
import { openTestService, type TestService } from '../support/test-service.ts'
import { openOnlineService } from '../upstreams/online-service.ts'
import { parseExposition, metricValueOf } from '../telemetry/scrape.ts'
import type { LossMoments } from './lost-worker.ts'

const closing: { close(): void }[] = []
afterEach(() =>
  closing
    .splice(0)
    .toReversed()
    .forEach((it) => it.close()),
)

type Document = {
  run_id: string
  status: string
  progress: { done: number; ok: number }
  error: { error: string; message: string; retryable: boolean } | null
  result: unknown
}

const moments: LossMoments = {
  submitted: 'stop when submitted',
  takenUp: JSON.stringify(['county_fips', 'county']),
  written: 'stop when written',
}
const lostWorker = () => new Worker(new URL('./lost-worker.ts', import.meta.url), { argv: [JSON.stringify(moments)] })
/** A worker that does nothing. */
const idleWorker = () => new Worker('data:text/javascript,self.onmessage = () => {}')
const places = 'lat,lng,note\n39.7392,-104.9903,here\n25.7907,-80.13,there\n'
const manyPlaces = `lat,lng\n${'39.7392,-104.9903\n'.repeat(2000)}`
const stopsWhenWritten = places.replace('note', moments.written)

/** Opens a service with these run workers in order, the last one repeatedly. Counts the started workers. */
function openWith<H extends TestService>(
  open: () => H,
  startWorker: (nth: number) => Worker,
): { testService: H; started: () => number } {
  const real = workers.run
  let count = 0
  workers.run = () => startWorker(++count)
  try {
    const testService = open()
    closing.push(testService)
    return { testService, started: () => count }
  } finally {
    workers.run = real
  }
}

const upload = ({ send }: TestService, csv: string, fields = 'county', headers: Record<string, string> = {}) =>
  send(`/v1/runs?fields=${fields}`, { method: 'POST', headers: { 'content-type': 'text/csv', ...headers }, body: csv })

async function submitted(
  testService: TestService,
  csv: string,
  fields?: string,
  headers?: Record<string, string>,
): Promise<string> {
  const response = await upload(testService, csv, fields, headers)
  expect(response.status).toBe(202)
  return ((await response.json()) as { run_id: string }).run_id
}

/** The document of a finished run. */
async function finished(
  { send }: TestService,
  run_id: string,
  headers: Record<string, string> = {},
): Promise<Document> {
  const events = await (await send(`/v1/runs/${run_id}/events`, { headers })).text()
  return JSON.parse(/^event: final\nid: \d+\ndata: (.*)$/m.exec(events)![1]!) as Document
}

/** The authorization header of a second account. */
async function otherAccount({ app: { access } }: TestService): Promise<{ authorization: string }> {
  const scopes = ['fetch', 'runs'] as const
  const account = (await access.users.invitedAccount((await access.users.invite('other', [...scopes]))!))!
  return {
    authorization: `Bearer ${(await access.tokens.create(account, { name: 'theirs', scopes: [...scopes] })).token}`,
  }
}

async function readiness({ send }: TestService) {
  const response = await send('/readyz')
  const { status, checks } = (await response.json()) as {
    status: string
    checks: { runs: { status: string; message?: string; failing_runs?: unknown } }
  }
  return [response.status, status, checks.runs]
}

test('a run that crashes its worker while its artifacts are written fails with a reason after three workers; the run of another account finishes, and /readyz warns', async () => {
  const { testService, started } = openWith(openTestService, lostWorker)
  expect(await readiness(testService)).toEqual([200, 'pass', { status: 'pass' }])
  const other = await otherAccount(testService)
  const theirs = await submitted(testService, manyPlaces, 'county', other)
  const mine = await submitted(testService, stopsWhenWritten)
  const [failed, fine] = await Promise.all([finished(testService, mine), finished(testService, theirs, other)])
  expect(failed).toMatchObject({
    status: 'failed',
    progress: { done: 2, ok: 2 },
    error: { error: 'internal_error', retryable: false },
    result: null,
  })
  expect(failed.error!.message).toContain(
    'crashed 3 times without progress, the last time while it was writing the result files',
  )
  expect([fine.status, fine.progress.ok, started()]).toEqual(['done', 2000, 4])

  const { progress } = ((await (await testService.send('/readyz')).json()) as { checks: { progress: unknown } }).checks
  expect(progress).toMatchObject({
    status: 'warn',
    stuck: [{ kind: 'worker', name: 'run', reason: 'The run worker was restarted 3 times in the last 10 minutes.' }],
  })
  const reason = failed.error!.message
  expect(await readiness(testService)).toMatchObject([
    200,
    'warn',
    { status: 'warn', failing_runs: [{ run_id: mine, status: 'failed', worker_losses: 3, reason }] },
  ])
  expect(
    metricValueOf(parseExposition(await (await testService.send('/metrics')).text()).lines, 'fieldstone_runs_failed'),
  ).toBe(1)
  expect((await testService.send(`/v1/runs/${mine}/cancel`, { method: 'POST' })).status).toBe(409)
  expect((await finished(testService, await submitted(testService, places))).status).toBe('done')
  expect(started()).toBe(4)
})

test('lost workers are counted across a restart of the server, and /readyz warns before the run fails', async () => {
  const { folder, remove } = newFolder()
  closing.push({ close: remove })
  const env = { FIELDSTONE_DATA: folder }
  const { promise: twoLost, resolve } = Promise.withResolvers<void>()
  const first = openWith(
    () => openTestService(env),
    (nth) => {
      if (nth <= 2) return lostWorker()
      resolve()
      return idleWorker()
    },
  )
  const run_id = await submitted(first.testService, stopsWhenWritten)
  await twoLost
  expect(await readiness(first.testService)).toMatchObject([
    200,
    'warn',
    { status: 'warn', message: expect.stringContaining('Workers lost in the last 10 minutes: 2.') as string },
  ])
  closing.splice(closing.indexOf(first.testService), 1)
  await first.testService.close()

  const second = openWith(() => openTestService(env), lostWorker)
  const token = (
    await second.testService.app.access.tokens.create(
      { id: ownerId, name: ownerId, scopes: new Set(['runs', 'fetch']) },
      { name: 'second', scopes: ['runs', 'fetch'] },
    )
  ).token
  const headers = { authorization: `Bearer ${token}` }
  await second.testService.app.runs.resume()
  const { status, error } = await finished(second.testService, run_id, headers)
  expect([status, error?.message, second.started()]).toEqual(['failed', expect.stringContaining('crashed 3 times'), 2])
  expect(
    (await finished(second.testService, await submitted(second.testService, places, 'county', headers), headers))
      .status,
  ).toBe('done')
})

test('a run that crashes its worker each time it is adopted fails with a reason, and another run finishes', async () => {
  const { testService, started } = openWith(openTestService, lostWorker)
  const beside = await submitted(testService, manyPlaces)
  const run_id = await submitted(testService, places, 'county_fips,county')
  const { status, error } = await finished(testService, run_id)
  expect(status).toBe('failed')
  expect(error?.message).toContain('while it was reading the locations (0 of 2 answered)')
  expect([(await finished(testService, beside)).status, started()]).toEqual(['done', 4])
})

test('a run that crashes its worker each time it is cancelled fails with a reason; the cancel request is answered, and the run of another account finishes', async () => {
  const { testService, started } = openWith(openOnlineService, lostWorker)
  const other = await otherAccount(testService)
  testService.upstreams.delay(60_000)
  const mine = await submitted(testService, stopsWhenWritten, 'fema_flood_zone')
  const theirs = await submitted(testService, manyPlaces, 'county', other)
  const cancelled = await testService.send(`/v1/runs/${mine}/cancel`, { method: 'POST' })
  expect([cancelled.status, ((await cancelled.json()) as { detail: unknown }).detail]).toMatchObject([
    409,
    { error: 'run_not_cancellable', status: 'failed' },
  ])
  const [failed, fine] = await Promise.all([finished(testService, mine), finished(testService, theirs, other)])
  expect(failed.status).toBe('failed')
  expect(failed.error?.message).toContain('while it was cancelling the run')
  expect([fine.status, fine.progress.ok, started()]).toEqual(['done', 2000, 4])
})

test('a submission that crashes its worker gets worker_lost each time, leaves no run, and does not affect other runs', async () => {
  const { testService } = openWith(openTestService, lostWorker)
  const other = await otherAccount(testService)
  const theirs = await submitted(testService, manyPlaces, 'county', other)
  for (let i = 0; i < 3; i++) {
    const lost = await upload(testService, places.replace('note', moments.submitted))
    expect(lost.status).toBe(503)
    expect(lost.headers.get('retry-after')).toBe('1')
    expect(((await lost.json()) as { detail: unknown }).detail).toMatchObject({ error: 'worker_lost', retryable: true })
  }
  expect(((await (await testService.send('/v1/runs')).json()) as { items: unknown[] }).items).toEqual([])
  expect(await finished(testService, theirs, other)).toMatchObject({ status: 'done', progress: { ok: 2000 } })
  expect(await readiness(testService)).toMatchObject([200, 'warn', { status: 'warn', failing_runs: [] }])
})
