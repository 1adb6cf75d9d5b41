import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { expositionOf, metricsContentType } from '../telemetry/metric-family.ts'
import { areMetricsPublic, metricsPath } from './metrics-access.ts'
import { gaugesOf } from './gauges.ts'
import { requireScope } from './guard.ts'

/** Serves the metrics in the Prometheus text format. They need the admin scope, except on a loopback-only service. */
export const metricsRoutes = (app: App) => {
  const isPublic = areMetricsPublic(app.config)
  const families = [...app.telemetry.families, ...gaugesOf(app)]
  return new Elysia().get(metricsPath, ({ request }) => {
    if (!isPublic) requireScope(request, 'admin', app.accounts)
    return new Response(expositionOf(families), { headers: { 'content-type': metricsContentType } })
  })
}
