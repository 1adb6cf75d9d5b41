import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { expositionOf, metricsContentType } from '../telemetry/metrics.ts'
import { metricsPath } from './metrics-access.ts'
import { gaugesOf } from './gauges.ts'

/** Serves the metrics in the Prometheus text format. They need the admin scope, except on a loopback-only service. */
export const metricsRoutes = (app: App) => {
  const families = [...app.telemetry.families, ...gaugesOf(app)]
  return new Elysia().get(
    metricsPath,
    async () => new Response(await expositionOf(families), { headers: { 'content-type': metricsContentType } }),
  )
}
