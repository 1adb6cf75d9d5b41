import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import { operation, type Operations } from './operation.ts'

const Health = Type.Object({ status: Type.Literal('ok'), version: Type.String(), uptime_s: Type.Number() })

const Check = Type.Object({ status: Type.Union([Type.Literal('pass'), Type.Literal('warn'), Type.Literal('fail')]) })
const Ready = Type.Object({
  status: Type.Union([Type.Literal('pass'), Type.Literal('warn'), Type.Literal('fail')]),
  version: Type.String(),
  catalog_version: Type.String(),
  checks: Type.Object({
    store: Check,
    catalog: Check,
    packs: Check,
    sources: Type.Record(Type.String(), Type.Object({ state: Type.Union(['cold', 'warming', 'ready', 'degraded', 'off'].map((state) => Type.Literal(state))) })),
  }),
})

export const healthOperations: Operations = {
  'GET /healthz': operation({
    tag: 'Health', scope: null, summary: 'Whether the process is alive', description: 'Touches nothing: for a liveness probe.', answers: { 200: Health },
  }),
  'GET /readyz': operation({
    tag: 'Health', scope: null, summary: 'Whether the service can answer', description: 'What each source is in: cold, warming or ready; off when this server has no way to ask it.',
    answers: { 200: Ready, 503: Ready },
  }),
}

export const healthRoutes = (app: App) =>
  new Elysia()
    .get('/healthz', () => ({ status: 'ok' as const, version: app.version, uptime_s: (app.now().getTime() - app.started.getTime()) / 1000 }))
    .get('/readyz', ({ set }) => {
      const sources = Object.fromEntries([...app.library.shelves()].map(({ id, ways, dataset }) => [id, { state: ways.length === 0 ? 'off' : stateOf(dataset.serve, app) }]))
      const store = { status: app.storeAnswers() ? 'pass' : 'fail' }
      const status = store.status
      set.status = status === 'pass' ? 200 : 503
      return { status, version: app.version, catalog_version: app.catalog.version, checks: { store, catalog: { status: 'pass' }, packs: { status: 'pass' }, sources } }
    })

function stateOf(serve: readonly { driver: string; layer?: unknown }[], { embedded }: App): 'ready' | 'warming' {
  const layers = serve.filter(({ driver }) => driver === 'embedded').map(({ layer }) => String(layer))
  return layers.every((layer) => embedded.warmed(layer)) ? 'ready' : 'warming'
}
