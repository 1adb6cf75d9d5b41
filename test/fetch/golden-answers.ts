import { providersByField } from '../../src/fetch/sources/providers.ts'
import { utcDayOf } from '../../src/auth/usage-meter.ts'
import { openTestService, type TestService } from '../support/test-service.ts'
import { writeGoldenPacks } from './golden-packs.ts'
import {
  hashResponses,
  requestNamesOf,
  seededPackRequests,
  seededRequests,
  type RequestNames,
  type SeededRequest,
} from './seeded-requests.ts'

/** The hashes of the responses to seeded requests, and of what they count, by number of requests. */
export type GoldenAnswers = { names: RequestNames; hashes: Record<string, Record<string, string>> }

/** The numbers of requests: of the test, and of the soak suite. */
export const goldenCounts = { test: 3_000, soak: 20_000 }

const now = new Date('2026-11-20T18:30:00.000Z')
/** Limits that no test reaches, so that responses have the headers of limits. */
const limits = { FIELDSTONE_RATE_LIMIT: '1000000', FIELDSTONE_DAILY_QUOTA: '1000000' }

/** Requests to a service with packs, for each request to one without. */
const packShare = 0.25

/**
 * Returns the hashes of a number of requests to a new service without a network, which has limits and a fixed clock,
 * and of requests to another one with packs.
 */
export async function hashAnswers(
  count: number,
  names: RequestNames,
  onResponse?: (text: string) => void,
): Promise<Record<string, string>> {
  const hashes = await hashService(seededRequests(count, names), {}, onResponse)
  const packs = writeGoldenPacks()
  try {
    const requests = seededPackRequests(packShare * count, names)
    const { metrics, usage, ...others } = await hashService(requests, { FIELDSTONE_PACKS: packs.folder }, onResponse)
    return { ...hashes, ...others, 'metrics with packs': metrics!, 'usage with packs': usage! }
  } finally {
    packs.remove()
  }
}

async function hashService(
  requests: Iterable<SeededRequest>,
  env: Record<string, string>,
  onResponse?: (text: string) => void,
): Promise<Record<string, string>> {
  await using service = openTestService({ ...limits, ...env }, { now: () => now })
  await service.app.packs.waitUntilChecked()
  const hashes = await hashResponses(requests, service, onResponse)
  return { ...hashes, metrics: hashOf(await countedMetrics(service)), usage: hashOf(await usageOf(service)) }
}

/** Returns the golden answers of the current code and catalog. */
export async function createGoldenAnswers(): Promise<GoldenAnswers> {
  const packs = writeGoldenPacks()
  const [service, servicePacks] = [openTestService(), openTestService({ FIELDSTONE_PACKS: packs.folder })]
  await servicePacks.app.packs.waitUntilChecked()
  const providersOf = ({ app }: TestService) => providersByField(app.catalog, app.registry)
  const names = requestNamesOf(service.app.catalog, providersOf(service), providersOf(servicePacks))
  await Promise.all([service.close(), servicePacks.close()])
  packs.remove()
  const hashes: GoldenAnswers['hashes'] = {}
  for (const count of Object.values(goldenCounts)) hashes[count] = await hashAnswers(count, names)
  return { names, hashes }
}

/** The counters of the requests, without durations. */
async function countedMetrics({ send }: TestService): Promise<string> {
  const text = await (await send('/metrics')).text()
  const counters = /^fieldstone_(fields|field_failures|http_requests|error_responses|geocodes)_total/
  return text
    .split('\n')
    .filter((line) => counters.test(line))
    .toSorted()
    .join('\n')
}

async function usageOf({ app }: TestService): Promise<string> {
  const today = utcDayOf(now)
  await app.access.usage.flush()
  return JSON.stringify(await app.access.usage.rowsBetween('owner', today, today))
}

function hashOf(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex').slice(0, 20)
}
