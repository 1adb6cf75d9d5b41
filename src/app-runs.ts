import type { AppCore, AppSources } from './app-sources.ts'
import { createGarbageCollector } from './async/collect-garbage.ts'
import type { Access } from './auth/access.ts'
import type { UsageMeter } from './auth/usage-meter.ts'
import type { FetchContexts } from './fetch-contexts.ts'
import { catalogPartOf, isServedByEmbedded } from './fetch/catalog-part.ts'
import type { CatalogSnapshot } from './fetch/catalog-state.ts'
import { answerableFieldsOf } from './fetch/providers.ts'
import type { AdmissionQueue } from './fetch/admission.ts'
import type { EmbeddedFile } from './packs/embedded-file.ts'
import type { Places } from './place/places.ts'
import { createLocationAnswerer } from './runs/location-answerer.ts'
import { withLocationTelemetry } from './runs/location-telemetry.ts'
import { openRuns, type Runs } from './runs/runs.ts'
import type { EmbeddedFields, LocalAnswerCounts, LocationQuestion } from './runs/worker-messages.ts'
import type { Store } from './store/store.ts'
import type { Telemetry } from './telemetry/telemetry.ts'

/** Runs collect garbage more often than requests, because nobody waits for them. It keeps their memory below 64 MB. */
const locationsBetweenCollections = 100

type LocationServices = { fetchContexts: FetchContexts; admission: AdmissionQueue; places: Places; access: Access }

/** Opens the runs of the app, and schedules the deletion of expired ones. */
export function openAppRuns(
  { config, now, log, telemetry, scheduler, adopt, embeddedFile }: AppCore & { embeddedFile: EmbeddedFile },
  { fetchContexts, admission, places, access: { usage } }: LocationServices,
  options: {
    store: Store
    snapshot: AppSources['snapshot']
    startWorker: () => Worker
    startWorkbookWorker: () => Worker
    randomBytes: (size: number) => Uint8Array
  },
): Runs {
  const answerLocation = createLocationAnswerer({
    fetchContext: (account) => fetchContexts.fetchContext(account, '/v1/runs'),
    geocode: fetchContexts.geocodeFor('/v1/runs'),
    admission,
    now,
    log,
    onAnswered: createGarbageCollector(locationsBetweenCollections),
  })
  const runs = adopt(
    openRuns({
      store: options.store,
      catalog: () => options.snapshot().catalog,
      answerable: () => ({
        fields: answerableFieldsOf(options.snapshot()),
        hasGeocoder: places.geocoders().length > 0,
      }),
      startWorker: options.startWorker,
      startWorkbookWorker: options.startWorkbookWorker,
      folder: config.data,
      answerLocation: withLocationTelemetry(answerLocation, telemetry),
      embedded: {
        file: embeddedFile,
        snapshot: options.snapshot,
        fieldsOf: (question) => (telemetry.tracing ? null : embeddedFieldsOf(question, options.snapshot())),
        onCounted: (counts) => counts.forEach((it) => countLocalAnswers(it, telemetry, usage)),
      },
      now,
      randomBytes: options.randomBytes,
      log,
    }),
  )
  scheduler.addRetention('runs', () => runs.sweep())
  return runs
}

/** Returns the fields of a location if embedded data serves all of them; else null. */
function embeddedFieldsOf({ kind, fields: names }: LocationQuestion, snapshot: CatalogSnapshot): EmbeddedFields | null {
  if (kind !== 'fetch_batch') return null
  const part = catalogPartOf(names, snapshot)
  return isServedByEmbedded(names, part) ? { names, part } : null
}

/** Counts answers of the run worker like those of the main thread. */
function countLocalAnswers(
  { account_id, ok, failed, fields, usages }: LocalAnswerCounts,
  { countFields, countRunLocation }: Telemetry,
  usage: UsageMeter,
): void {
  countRunLocation('ok', ok)
  countRunLocation('failed', failed)
  for (const { fields: count, ...result } of fields) countFields(result, count)
  usage.recordFields(account_id, '/v1/runs', usages)
}
