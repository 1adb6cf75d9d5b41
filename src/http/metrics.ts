import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { expositionOf, metricsContentType } from '../telemetry/metric-family.ts'
import { isAtHome, metricsPath } from './at-home.ts'
import { standing } from './gauges.ts'
import { allowing } from './guard.ts'

/** What the service counts, as Prometheus reads it: for who holds the scope admin, and for everybody where it is reached from its own machine alone. */
export const metricsRoutes = (app: App) => {
  const isOpen = isAtHome(app.config)
  const families = [...app.telemetry.families, ...standing(app)]
  return new Elysia().get(metricsPath, ({ request }) => {
    if (!isOpen) allowing(request, 'admin', app.accounts)
    return new Response(expositionOf(families), { headers: { 'content-type': metricsContentType } })
  })
}
