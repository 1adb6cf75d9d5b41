import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { expositionOf, metricsContentType } from '../telemetry/metric-family.ts'
import { areMetricsPublic, metricsPath } from './metrics-access.ts'
import { gaugesOf } from './gauges.ts'
import { requireScope } from './guard.ts'

/** What the service counts, as Prometheus reads it: for who holds the scope admin, and for everybody where it is reached from its own machine alone. */
export const metricsRoutes = (app: App) => {
  const isPublic = areMetricsPublic(app.config)
  const families = [...app.telemetry.families, ...gaugesOf(app)]
  return new Elysia().get(metricsPath, ({ request }) => {
    if (!isPublic) requireScope(request, 'admin', app.accounts)
    return new Response(expositionOf(families), { headers: { 'content-type': metricsContentType } })
  })
}
