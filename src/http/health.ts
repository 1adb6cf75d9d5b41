import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { App } from '../app.ts'
import type { Shelf } from '../fetch/library.ts'
import { operation, type Operations } from './operation.ts'

const Health = Type.Object({ status: Type.Literal('ok'), version: Type.String(), uptime_s: Type.Number() })

const Check = Type.Object({ status: Type.Union([Type.Literal('pass'), Type.Literal('warn'), Type.Literal('fail')]) })
const Ready = Type.Object({
  status: Type.Union([Type.Literal('pass'), Type.Literal('warn'), Type.Literal('fail')]),
  version: Type.String(),
  catalog_version: Type.String(),
  checks: Type.Object({
    store: Check,
    catalog: Type.Object({ ...Check.properties, refused: Type.Optional(Type.Array(Type.Object({ file: Type.String(), faults: Type.Array(Type.String()) }))) }),
    packs: Type.Object({ ...Check.properties, refused: Type.Optional(Type.Array(Type.Object({ file: Type.String(), reason: Type.String() }))) }),
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
      const sources = Object.fromEntries([...app.library.shelves()].map((shelf) => [shelf.id, { state: stateOf(shelf, app) }]))
      const store = { status: app.storeAnswers() ? 'pass' : 'fail' }
      const isTroubled = app.stock().faults.length > 0 || packsCheck(app).status === 'warn' || Object.values(sources).some(({ state }) => state === 'degraded')
      const own = app.runs.stopping.aborted ? 'fail' : store.status
      const status = own === 'pass' && isTroubled ? 'warn' : own
      set.status = status === 'fail' ? 503 : 200
      return { status, version: app.version, catalog_version: app.catalog.version, checks: { store, catalog: catalogCheck(app), packs: packsCheck(app), sources } }
    })

/** A file of the operator's that was left out is a warning, with what is wrong with it. */
function catalogCheck(app: App) {
  const { faults } = app.stock()
  return faults.length === 0 ? { status: 'pass' } : { status: 'warn', refused: faults }
}

function packsCheck({ packs }: App) {
  const refused = packs.list().flatMap(({ file, state, reason }) => (state === 'refused' ? [{ file, reason: reason ?? '' }] : []))
  return refused.length === 0 ? { status: 'pass' } : { status: 'warn', refused }
}

type State = 'cold' | 'warming' | 'ready' | 'degraded' | 'off'

/** What answers first decides; a source on another server is cold until it has answered once. */
function stateOf({ ways: [first], dataset }: Shelf, { embedded, net }: App): State {
  if (!first) return 'off'
  if (!first.remote) return dataset.serve.every((serving) => serving.driver !== 'embedded' || embedded.warmed(serving.layer)) ? 'ready' : 'warming'
  const health = net?.health(first.remote.host)
  if (health && health.circuit !== 'closed') return 'degraded'
  return health?.last_success ? 'ready' : 'cold'
}
