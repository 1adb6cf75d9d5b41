import { afterAll, describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FetchAnswer, FieldResult } from '../../src/fetch/fetch-answer.ts'
import { openTestService } from '../support/test-service.ts'
import { testKeys } from '../upstreams/online-service.ts'
import {
  hasRecordings,
  loadFirstSet,
  loadManifestSet,
  projectFolder,
  recordedFolder,
  replayedAt,
  type RecordedCase,
} from './recorded-sets.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** The case whose answers the mirror serves. */
let current: RecordedCase | undefined

const mirror = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { pathname, search } = new URL(request.url)
    const [, host = '', ...rest] = pathname.split('/')
    const body = request.method === 'POST' ? await request.text() : ''
    const answer = current?.answer({
      host,
      path: `/${decoded(rest.join('/'))}`,
      sent: decoded(`${search.slice(1)} ${body}`.trim().replaceAll('+', ' ')),
      range: request.headers.get('range'),
    })
    return answer ?? new Response('No answer is recorded.', { status: 501 })
  },
})
afterAll(() => mirror.stop(true))

const cases = [
  ...loadManifestSet(projectFolder),
  ...(hasRecordings
    ? [...(await loadFirstSet()), ...['b', 'c'].flatMap((set) => loadManifestSet(join(recordedFolder, set)))]
    : []),
]

describe('recorded answers of real publishers are read correctly', () => {
  test.each(cases.map((it) => [it.id, it] as const))('%s', async (_id, recorded) => {
    expect(await replay(recorded)).toEqual([])
  })
})

test.skipIf(hasRecordings)(
  `without the folder ${recordedFolder} only the recorded answers of the project are replayed`,
  () => {},
)

/** Answers a case with a service of its own and lists what differs from the correct reading. */
async function replay(recorded: RecordedCase): Promise<string[]> {
  const data = temporaryFolder()
  mkdirSync(join(data, 'packs'))
  for (const [name, file] of recorded.packs) copyFileSync(file, join(data, 'packs', name))
  current = recorded
  const service = openTestService(
    {
      FIELDSTONE_OFFLINE: '0',
      FIELDSTONE_DATA: data,
      FIELDSTONE_MIRROR: `http://127.0.0.1:${mirror.port}`,
      FIELDSTONE_OVERPASS: 'https://overpass-api.de/api/interpreter',
      ...testKeys,
    },
    { now: () => replayedAt },
  )
  try {
    await service.app.packs.poll()
    if ('address' in recorded.at) {
      const found = await (await service.post('/v1/geocode', recorded.at)).json()
      return differencesIn(recorded, (path) => ({ value: memberAt(found, path) }))
    }
    const response = await service.post('/v1/fetch', { ...recorded.at, fields: Object.keys(recorded.expected) })
    const { fields } = (await response.json()) as FetchAnswer
    return differencesIn(recorded, (name) => fields[name]!)
  } finally {
    await service.close()
    rmSync(data, { recursive: true, force: true })
  }
}

type Found = Pick<FieldResult, 'value'> | { value: unknown }

function differencesIn({ expected, isAsExpected }: RecordedCase, find: (name: string) => Found): string[] {
  const isEqual = (name: string, value: unknown, requested: unknown) =>
    typeof value === 'number' && typeof requested === 'number'
      ? isAsExpected(value, requested, name)
      : requested instanceof RegExp
        ? requested.test(String(value))
        : Bun.deepEquals(value, requested)
  return Object.entries(expected).flatMap(([name, requested]) => {
    const found = find(name)
    // The service writes addresses in its own form.
    if (name === 'normalized_address' && addressWords(found.value) === addressWords(requested)) return []
    const isRight = isOutcome(requested) ? hasOutcome(found, requested) : isEqual(name, found.value, requested)
    return isRight ? [] : [`${name}: expected ${JSON.stringify(requested)}, found ${JSON.stringify(found)}`]
  })
}

function addressWords(address: unknown): string {
  return String(address).toLowerCase().replaceAll(',', '')
}

type Outcome = { status: string; reason?: string }

function isOutcome(requested: unknown): requested is Outcome {
  return typeof requested === 'object' && requested !== null && 'status' in requested
}

function hasOutcome(found: Found, { status, reason = '' }: Outcome): boolean {
  return 'status' in found && found.status === status && JSON.stringify(found).includes(reason)
}

function memberAt(document: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], document)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
