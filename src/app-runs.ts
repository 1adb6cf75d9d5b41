import type { Database } from 'bun:sqlite'
import type { AppCore, AppSources } from './app-sources.ts'
import { createGarbageCollector } from './async/collect-garbage.ts'
import type { FetchContexts } from './fetch-contexts.ts'
import { answerableFieldsOf } from './fetch/providers.ts'
import type { AdmissionQueue } from './fetch/admission.ts'
import type { Places } from './place/places.ts'
import { createLocationAnswerer } from './runs/location-answerer.ts'
import { withLocationTelemetry } from './runs/location-telemetry.ts'
import { openRuns, type Runs } from './runs/runs.ts'

/** Runs collect garbage more often than requests, because nobody waits for them. It keeps their memory below 64 MB. */
const locationsBetweenCollections = 100

/** Opens the runs of the app, and schedules the deletion of expired ones. */
export function openAppRuns(
  { config, now, log, telemetry, scheduler, adopt }: AppCore,
  { fetchContexts, admission, places }: { fetchContexts: FetchContexts; admission: AdmissionQueue; places: Places },
  options: {
    db: Database
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
      db: options.db,
      catalog: () => options.snapshot().catalog,
      answerable: () => ({
        fields: answerableFieldsOf(options.snapshot()),
        hasGeocoder: places.geocoders().length > 0,
      }),
      startWorker: options.startWorker,
      startWorkbookWorker: options.startWorkbookWorker,
      folder: config.data,
      answerLocation: withLocationTelemetry(answerLocation, telemetry),
      now,
      randomBytes: options.randomBytes,
      log,
    }),
  )
  scheduler.addRetention('runs', () => runs.sweep())
  return runs
}
