import { afterEach, describe, expect, test } from 'bun:test'
import type { LocalAnswersDeps } from '../../src/runs/local-fields-sender.ts'
import { RunWorker } from '../../src/runs/run-worker.ts'
import type { RunWorkerOutput, RunCommand, RunWorkerInput } from '../../src/runs/worker-messages.ts'
import { createLog } from '../../src/log.ts'
import { openOnlineService } from '../upstreams/online-service.ts'
import { packLocations } from '../../src/store/runs/packed-locations.ts'
import type { NewRun } from '../../src/store/runs/submissions.ts'
import { openState } from '../../src/store/sqlite/state-database.ts'
import { workers } from '../../src/workers.ts'
import { newFolder } from '../cli/fieldstone.ts'
import type { WayToDie } from './dying-worker.ts'

const opened: { close(): void }[] = []
afterEach(() => opened.splice(0).forEach((it) => it.close()))

/** A worker controlled by the test. */
function theatre(local?: LocalAnswersDeps) {
  const stages: { heard: RunWorkerInput[]; say(message: RunWorkerOutput): void; die(): void; terminated: boolean }[] =
    []
  const startWorker = () => {
    const listeners = new Map<string, () => void>()
    const it = {
      onmessage: null as ((event: { data: RunWorkerOutput }) => void) | null,
      onerror: null as ((event: { message: string; preventDefault(): void }) => void) | null,
      addEventListener: (name: string, listener: () => void) => void listeners.set(name, listener),
      postMessage: (message: RunWorkerInput, transfer: ArrayBuffer[]) =>
        void stage.heard.push(structuredClone(message, { transfer })),
      terminate: () => {
        stage.terminated = true
      },
    }
    const stage: (typeof stages)[number] = {
      heard: [],
      terminated: false,
      say: (data) => it.onmessage?.({ data }),
      die: () => it.onerror?.({ message: 'out of its mind', preventDefault() {} }),
    }
    stages.push(stage)
    return it as unknown as Worker
  }
  const aborted: string[] = []
  const worker: RunWorker = new RunWorker({
    startWorker,
    folder: '/nowhere',
    database: null,
    onChange: () => {},
    log: createLog('error', () => {}),
    heartbeat_ms: 1_000_000,
    ...(local && { local }),
    answerLocation: (question, signal, onBegin) =>
      new Promise((resolve) => {
        if (question.idx !== 2) onBegin()
        if (question.idx === 0 || question.kind === 'answered')
          resolve({ ok: true, retryable: false, failedFields: 0, entry: '{}' })
        signal.addEventListener('abort', () => aborted.push(question.run_id))
      }),
  })
  opened.push(worker)
  return { worker, stages, aborted }
}

const sweep = { type: 'sweep', before: 0, keysBefore: 0 } as const satisfies RunCommand
const question = (idx: number) => ({
  run_id: 'r',
  kind: 'fetch_batch',
  account_id: 'a',
  scopes: '',
  fields: [],
  idx,
  original_index: null,
  input: '{}',
})

test('a stop withdraws the locations that wait for their turn, and no others', () => {
  const { worker, stages, aborted } = theatre()
  worker.start()
  for (const idx of [1, 2]) stages[0]!.say({ questionId: idx, question: question(idx), unanswered: 3 })
  worker.withdrawWaiting()
  stages[0]!.say({ questionId: 3, question: question(3), unanswered: 3 })
  expect(aborted).toEqual(['r'])
  expect(stages[0]!.heard.slice(1)).toEqual([
    { questionId: 2, answer: 'not_started' },
    { questionId: 3, answer: 'not_started' },
  ])
})

test('the worker gets the fields of a long run that it can answer itself, again after a change, but not without a limit', async () => {
  const subset = { fields: [], datasets: [] }
  let snapshot = {}
  const { worker, stages } = theatre({
    embedded: '/embedded',
    fieldsOf: ({ fields }) => (fields[0] === 'county' ? { names: fields, subset, packs: [] } : null),
    snapshot: () => snapshot,
    onCounted: () => {},
  })
  worker.start()
  const ask = async (questionId: number, unanswered: number, name: string) => {
    stages[0]!.say({ questionId, question: { ...question(0), fields: [name], kind: 'answered' }, unanswered })
    await new Promise((resolve) => setImmediate(resolve))
  }
  await ask(1, 199, 'county')
  await ask(2, 200, 'county')
  await ask(3, 201, 'county')
  await ask(4, 201, 'elevation')
  snapshot = {}
  await ask(5, 200, 'county')
  const sent = stages[0]!.heard.filter((message) => 'localFields' in message)
  const given = { localFields: { names: ['county'], subset, packs: [], embedded: '/embedded' } }
  expect(sent).toEqual([given, { localFields: null }, given])
  for (let i = 0; i < 256; i++) await ask(6 + i, 200, `field_${i}`)
  await ask(300, 200, 'county')
  const later = stages[0]!.heard.filter((message) => 'localFields' in message).slice(sent.length)
  expect(later).toEqual([{ localFields: null }, given])
})

describe('a run worker that dies', () => {
  test('is replaced immediately, and the command that it had begun rejects with worker_lost, which is retryable', async () => {
    const { worker, stages } = theatre()
    const waiting = worker.execute(sweep).catch((error: unknown) => error)
    stages[0]!.say({ begunCommandId: 1 })
    stages[0]!.die()
    expect(await waiting).toMatchObject({ code: 'worker_lost', retryable: true, status: 503 })
    expect([stages.length, stages[0]!.terminated]).toEqual([2, true])
    expect([stages[0]!.heard[0], stages[1]!.heard[0]]).toEqual([
      { open: { folder: '/nowhere', database_url: null, node: null, isFirstWorker: true } },
      { open: { folder: '/nowhere', database_url: null, node: null, isFirstWorker: false } },
    ])
  })

  test('passes a cancel to the next worker; after the fourth loss, the cancel rejects with worker_lost too', async () => {
    const { worker, stages } = theatre()
    const waiting = worker.execute({ type: 'cancel', number: 1 }).catch((error: unknown) => error)
    for (let i = 0; i < 4; i++) {
      worker.start()
      expect(stages[i]!.heard.slice(1)).toEqual([{ commandId: 1, command: { type: 'cancel', number: 1 } }])
      stages[i]!.die()
    }
    expect(await waiting).toMatchObject({ code: 'worker_lost', retryable: true, status: 503 })
    worker.start()
    expect(stages.at(-1)!.heard).toHaveLength(1)
  })

  test('passes a command that it had not begun to the next worker, which answers it', async () => {
    const { worker, stages } = theatre()
    const begun = worker.execute(sweep).catch((error: unknown) => error)
    const behind = worker.execute(sweep)
    stages[0]!.say({ begunCommandId: 1 })
    stages[0]!.die()
    expect(await begun).toMatchObject({ code: 'worker_lost' })
    expect(stages[1]!.heard.slice(1)).toEqual([{ commandId: 2, command: sweep }])
    stages[1]!.say({ begunCommandId: 2 })
    stages[1]!.say({ commandId: 2, result: null })
    expect(await behind).toBeNull()
  })

  test('takes the locations of a submission with it, so the submission rejects with worker_lost', async () => {
    const { worker, stages } = theatre()
    const locations = packLocations([{ input: '{"lat":39.7,"lng":-105}' }])
    const lost = worker
      .execute({ type: 'submit', run: {} as NewRun, locations, key: null })
      .catch((error: unknown) => error)
    const behind = worker.execute(sweep)
    stages[0]!.die()
    expect(await lost).toMatchObject({ code: 'worker_lost', retryable: true, status: 503 })
    expect(stages[1]!.heard.slice(1)).toEqual([{ commandId: 2, command: sweep }])
    stages[1]!.say({ commandId: 2, result: null })
    expect(await behind).toBeNull()
  })

  test('is counted for ten minutes', () => {
    const { worker, stages } = theatre()
    worker.start()
    expect(worker.recentLosses()).toBe(0)
    stages[0]!.die()
    expect(worker.recentLosses()).toBe(1)
  })

  test('aborts the questions that it had asked', () => {
    const { worker, stages, aborted } = theatre()
    worker.start()
    stages[0]!.say({ questionId: 1, question: question(1), unanswered: 1 })
    stages[0]!.die()
    expect(aborted).toEqual(['r'])
  })

  test('is ignored if it still sends messages', async () => {
    const { worker, stages } = theatre()
    worker.start()
    stages[0]!.die()
    stages[0]!.say({ questionId: 1, question: question(0), unanswered: 1 })
    await new Promise((resolve) => setImmediate(resolve))
    expect(stages[0]!.heard.length + stages[1]!.heard.length).toBe(2)
  })
})

test('a worker that dies early, like the one before it, is replaced after a pause, or as soon as it is needed', async () => {
  const { worker, stages } = theatre()
  worker.start()
  stages[0]!.die()
  expect(stages).toHaveLength(2)
  stages[1]!.die()
  expect(stages).toHaveLength(2)
  worker.execute({ type: 'cancel', number: 1 }).catch(() => {})
  expect(stages).toHaveLength(3)
})

const deaths: WayToDie[] = ['throw', 'reject', 'exit', 'overflow', 'loop', 'regex']
const dying = (way: WayToDie) => new Worker(new URL('./dying-worker.ts', import.meta.url), { argv: [way] })

describe('a real worker that ends by', () => {
  test.each(deaths)(
    '%s is replaced, the command that it had begun rejects with worker_lost, and the next command is executed',
    async (way) => {
      const { folder, remove } = newFolder()
      const db = openState(folder)
      let count = 0
      const worker = new RunWorker({
        startWorker: () => (++count === 1 ? dying(way) : workers.run()),
        folder,
        database: null,
        onChange: () => {},
        log: createLog('error', () => {}),
        answerLocation: () => Promise.resolve('internal_error'),
        heartbeat_ms: 150,
      })
      opened.push({
        close: () => {
          worker.close()
          db.close()
          remove()
        },
      })
      expect(await worker.execute(sweep).catch((error: unknown) => error)).toMatchObject({
        code: 'worker_lost',
        retryable: true,
        status: 503,
      })
      expect(count).toBe(2)
      expect(await worker.execute({ type: 'cancel', number: 1 })).toBe(false)
    },
  )

  test.each(deaths.slice(0, 4))(
    '%s fails one submission with 503 and Retry-After; the server continues, and the same submission succeeds when it is sent again',
    async (way) => {
      const real = workers.run
      let count = 0
      workers.run = () => (++count === 1 ? dying(way) : real())
      const service = openOnlineService()
      opened.push(service)
      const body = {
        kind: 'fetch_batch',
        request: { locations: [{ lat: 25.79, lng: -80.13 }], fields: ['fema_flood_zone'] },
      }
      const headers = { 'idempotency-key': 'the-same', prefer: 'wait=20' }
      try {
        const lost = await service.post('/v1/runs', body, headers)
        expect([
          lost.status,
          lost.headers.get('retry-after'),
          ((await lost.json()) as { detail: unknown }).detail,
        ]).toMatchObject([503, '1', { error: 'worker_lost', retryable: true }])
        expect((await service.send('/healthz')).status).toBe(200)
        const again = await service.post('/v1/runs', body, headers)
        expect(again.status).toBe(200)
        expect(await again.json()).toMatchObject({ status: 'done', progress: { total: 1, ok: 1 } })
      } finally {
        workers.run = real
      }
    },
  )
})

test('an aborted question is not asked again, and a question is answered only once', async () => {
  const { worker, stages, aborted } = theatre()
  worker.start()
  stages[0]!.say({ questionId: 1, question: question(1), unanswered: 1 })
  stages[0]!.say({ abortedQuestionId: 1 })
  stages[0]!.say({ questionId: 2, question: question(0), unanswered: 1 })
  await new Promise((resolve) => setImmediate(resolve))
  expect(aborted).toEqual(['r'])
  expect(stages[0]!.heard.slice(1)).toEqual([
    { questionId: 2, answer: { ok: true, retryable: false, failedFields: 0, entry: '{}' } },
  ])
})

test('a real worker that is terminated during a run is replaced, and the run is complete', async () => {
  const real = workers.run
  const started: Worker[] = []
  workers.run = () => {
    const it = real()
    started.push(it)
    return it
  }
  const service = openOnlineService()
  opened.push(service)
  workers.run = real
  service.upstreams.delay(20)
  const locations = Array.from({ length: 60 }, (_, i) => ({ lat: 25.79, lng: -80.13 - i / 10_000 }))
  const response = await service.post('/v1/runs', {
    kind: 'fetch_batch',
    request: { locations, fields: ['fema_flood_zone'] },
  })
  const { run_id } = (await response.json()) as { run_id: string }
  const account = { id: 'owner', name: 'owner', scopes: new Set<never>() }
  const { promise, resolve } = Promise.withResolvers<void>()
  service.app.runs.subscribe({ id: 'owner' }, run_id, ({ done }) => {
    if (done > 10) resolve()
  })
  await promise
  started[0]!.terminate()
  const run = await service.app.runs.waitUntilFinished(account, run_id, AbortSignal.timeout(20_000))
  expect([run.status, run.ok, started.length]).toEqual(['done', 60, 2])
  expect(service.logged.filter((line) => line.includes('run_worker_lost'))).toHaveLength(1)
})
