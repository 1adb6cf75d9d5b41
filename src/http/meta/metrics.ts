import { Elysia } from 'elysia'
import type { App } from '../../app.ts'
import type { ServerProcess } from '../../server-process.ts'
import { expositionOf, mergeExpositions, metricsContentType, type ProcessExposition } from '../../telemetry/metrics.ts'
import { gaugesOf } from './gauges.ts'
import { isLoopback, type Config } from '../../config.ts'

export const metricsPath = '/metrics'

/** Serves the metrics in the Prometheus text format. They need the admin scope, except on a loopback-only service. */
export const metricsRoutes = (app: App) => {
  const families = [...app.telemetry.families, ...gaugesOf(app)]
  const { serverProcess } = app
  serverProcess?.handle('metrics', () => expositionOf(families))
  const read = async () =>
    serverProcess ? mergeExpositions(await readAll(serverProcess)) : await expositionOf(families)
  return new Elysia().get(
    metricsPath,
    async () => new Response(await read(), { headers: { 'content-type': metricsContentType } }),
  )
}

/** Reads the metrics of all processes. Leaves out a process that does not answer, as if it could not be scraped. */
async function readAll(serverProcess: ServerProcess): Promise<ProcessExposition[]> {
  const results = await serverProcess.callAll({ name: 'metrics', argument: null })
  return results.flatMap(({ process, reply }) =>
    'value' in reply ? [{ process: String(process), text: String(reply.value) }] : [],
  )
}

/**
 * Reports whether /metrics is readable without a token: both FIELDSTONE_HOST and the base URL are loopback. With a
 * public base URL a local proxy would expose it.
 */
export function areMetricsPublic({ host, base_url }: Pick<Config, 'host' | 'base_url'>): boolean {
  return isLoopback(host) && isLoopback(new URL(base_url).hostname.replace(/^\[(.*)\]$/, '$1'))
}
