import { providersByField } from '../../src/fetch/providers.ts'
import { utcDayOf } from '../../src/auth/usage-meter.ts'
import { openTestService, type TestService } from '../support/test-service.ts'
import { hashResponses, requestNamesOf, seededRequests, type RequestNames } from './seeded-requests.ts'

/** The hashes of the responses to seeded requests, and of what they count, by number of requests. */
export type GoldenAnswers = { names: RequestNames; hashes: Record<string, Record<string, string>> }

/** The numbers of requests: of the test, and of the soak suite. */
export const goldenCounts = { test: 3_000, soak: 20_000 }

const now = new Date('2026-11-20T18:30:00.000Z')
/** Limits that no test reaches, so that responses have the headers of limits. */
const limits = { FIELDSTONE_RATE_LIMIT: '1000000', FIELDSTONE_DAILY_QUOTA: '1000000' }

/** Returns the hashes of a number of requests to a new service without a network, which has limits and a fixed clock. */
export async function hashAnswers(
  count: number,
  names: RequestNames,
  onResponse?: (text: string) => void,
): Promise<Record<string, string>> {
  const service = openTestService(limits, { now: () => now })
  try {
    const hashes = await hashResponses(seededRequests(count, names), service, onResponse)
    return { ...hashes, metrics: hashOf(await countedMetrics(service)), usage: hashOf(await usageOf(service)) }
  } finally {
    await service.close()
  }
}

/** Returns the golden answers of the current code and catalog. */
export async function createGoldenAnswers(): Promise<GoldenAnswers> {
  const service = openTestService()
  const names = requestNamesOf(service.app.catalog, providersByField(service.app.catalog, service.app.registry))
  await service.close()
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
