import { sourceHostsOf } from '../../catalog/catalog.ts'
import { operatorHostsOf } from '../../config.ts'
import { createCopyHoursWait, parseCopyHours, type CopyHours } from '../../pack-plans/copy-hours.ts'
import { HostAnswers } from '../../build-packs/harvest/host-answers.ts'
import { createPoliteClient, type PoliteClientOptions } from '../../build-packs/harvest/polite-client.ts'
import { openHttpClient, type HttpClient } from '../../net/http-client.ts'
import { userAgentOf } from '../../net/call.ts'
import type { PackCommandDeps, PackFlags } from './pack-deps.ts'
import { UsageError } from '../usage-error.ts'

/** The rules for all copies of a command: the hosts that did not answer, and the hours of --between. */
export type CopyRules = { answers: HostAnswers; hours: CopyHours | null }

/** Creates the rules of a command. @throws {UsageError} if --between is not valid. */
export function createCopyRules({ between }: PackFlags): CopyRules {
  const hours = between === undefined ? null : parseCopyHours(String(between))
  if (between !== undefined && hours === null)
    throw new UsageError(
      `--between ${JSON.stringify(between)} is not valid. Use two times of the day, such as 22:00-06:00.`,
    )
  return { answers: new HostAnswers('copy'), hours }
}

/** Creates a function that waits for the hours of --between. Without --between, it resolves at once. */
export function createCopyWait(
  { hours }: CopyRules,
  onPause: (until: Date) => void,
): (signal: AbortSignal) => Promise<void> {
  return hours === null
    ? () => Promise.resolve()
    : createCopyHoursWait(hours, { now: () => new Date(), wait: (ms) => Bun.sleep(ms), onPause })
}

/** Opens a client for many requests to the publishers of the catalog. */
export function openHarvestClient(
  { config, catalog, version }: PackCommandDeps,
  options: Omit<PoliteClientOptions, 'wait'>,
): { polite: HttpClient; close(): void } {
  const client = openHttpClient({
    mirror: config.mirror,
    userAgent: userAgentOf({ version, ...config }),
    contact: config.contact,
    catalogHosts: sourceHostsOf(catalog.datasets.values()),
    operatorHosts: operatorHostsOf(config),
    now: () => new Date(),
    random: Math.random,
  })
  return { polite: createPoliteClient(client, { wait: (ms) => Bun.sleep(ms), ...options }), close: client.close }
}
