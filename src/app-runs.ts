import type { AppCore, AppSources } from './app-sources.ts'
import { createGarbageCollector } from './async/collect-garbage.ts'
import type { Access } from './auth/access.ts'
import type { UsageMeter } from './auth/usage-meter.ts'
import type { FetchContexts } from './fetch-contexts.ts'
import { catalogSubsetOf, isServedLocally, packDatasetsOf } from './fetch/catalog/catalog-subset.ts'
import { answerableFieldsOf } from './fetch/sources/providers.ts'
import type { AdmissionQueue } from './fetch/admission.ts'
import type { EmbeddedFile } from './packs/embedded/embedded-file.ts'
import type { Places } from './place/places.ts'
import { createLocationAnswerer, type LocationAnswerer } from './runs/location-answerer.ts'
import { createRunArtifacts, type RunArtifacts } from './runs/artifacts/artifact-files.ts'
import { Runs } from './runs/runs.ts'
import { openS3Storage } from './storage/s3-storage.ts'
import { openStorageClient } from './storage/open-storage.ts'
import type { LocalAnswerCounts, LocalFields, LocationQuestion } from './runs/worker-messages.ts'
import type { DatabaseLocation } from './store/postgres/database-location.ts'
import type { Store } from './store/store.ts'
import type { Telemetry } from './telemetry/telemetry.ts'

/** Runs collect garbage more often than requests, because nobody waits for them. It keeps their memory below 64 MB. */
const locationsBetweenCollections = 100

type LocationServices = { fetchContexts: FetchContexts; admission: AdmissionQueue; places: Places; access: Access }

/** Opens the runs of the app, and schedules the deletion of expired ones. */
export function openAppRuns(
  core: AppCore & { embeddedFile: EmbeddedFile },
  { fetchContexts, admission, places, access: { usage } }: LocationServices,
  options: {
    store: Store
    database: DatabaseLocation | null
    node: string
    sources: Pick<AppSources, 'snapshot' | 'packs'>
    startWorker: () => Worker
    startWorkbookWorker: () => Worker
    randomBytes: (size: number) => Uint8Array
  },
): Runs {
  const { config, now, log, telemetry, scheduler, adopt, embeddedFile } = core
  const { snapshot } = options.sources
  const answerLocation = createLocationAnswerer({
    fetchContext: (account) => fetchContexts.fetchContext(account, '/v1/runs'),
    geocode: fetchContexts.geocodeFor('/v1/runs'),
    admission,
    now,
    log,
    onAnswered: createGarbageCollector(locationsBetweenCollections),
  })
  const artifacts = openRunArtifacts(core, options.store)
  const runs = adopt(
    new Runs({
      store: options.store,
      artifacts,
      catalog: () => snapshot().catalog,
      answerable: () => ({
        fields: answerableFieldsOf(snapshot()),
        hasGeocoder: places.geocoders().length > 0,
      }),
      startWorker: options.startWorker,
      startWorkbookWorker: options.startWorkbookWorker,
      folder: config.data,
      database: options.database,
      node: options.node,
      isShared: core.isShared,
      answerLocation: withLocationTelemetry(answerLocation, telemetry),
      local: {
        embedded: embeddedFile,
        snapshot,
        fieldsOf: (question) => (telemetry.tracing ? null : localFieldsOf(question, options.sources)),
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

/** Opens the access to the result files. With storage, finished files are moved to it every minute. */
function openRunArtifacts(core: AppCore, { artifacts, artifactObjects, isReadOnly }: Store): RunArtifacts {
  const { config, now, scheduler, adopt, telemetry } = core
  const location = config.offline ? null : config.artifact_storage
  const client =
    location && adopt(openStorageClient(location, { ...core, traceUpstreamCall: telemetry.traceUpstreamCall }))
  const storage = location &&
    client && {
      storage: openS3Storage(location),
      net: client,
      isRedirected: config.artifact_downloads === 'redirect',
    }
  const runArtifacts = createRunArtifacts({ artifacts, objects: artifactObjects, storage, now })
  if (!storage || isReadOnly) return runArtifacts
  const stopping = new AbortController()
  adopt({ close: () => stopping.abort(new Error('The service is stopping.')) })
  const untilStopped = (work: (signal: AbortSignal) => Promise<void>) => () =>
    work(stopping.signal).catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error
    })
  scheduler.runOnSchedule('artifact_moves', '* * * * *', untilStopped(runArtifacts.moveFinished))
  scheduler.addRetention('artifact_objects', untilStopped(runArtifacts.deleteObsolete))
  return runArtifacts
}

/** The run worker opens no more packs than this. */
const workerPacksMax = 128

/** Returns the fields of a location if embedded data and vector packs serve all of them; else null. */
function localFieldsOf(
  { kind, fields: names }: LocationQuestion,
  { snapshot, packs }: Pick<AppSources, 'snapshot' | 'packs'>,
): LocalFields | null {
  const { catalog } = snapshot()
  if (kind !== 'fetch_batch' || names.some((name) => !catalog.fields.has(name))) return null
  const subset = catalogSubsetOf(names, snapshot())
  const files = isServedLocally(names, subset) ? packs.liveFiles(packDatasetsOf(subset)) : null
  return files && files.length <= workerPacksMax ? { names, subset, packs: files } : null
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

/** Counts each location and gives it a trace of its own: a run may take days. */
function withLocationTelemetry(
  answerLocation: LocationAnswerer,
  { countRunLocation, tracing, requests }: Telemetry,
): LocationAnswerer {
  return (...args) => {
    const [question] = args
    const { run_id, idx } = question
    const request_id = `${run_id}.${idx}`
    if (!tracing) return requests.run({ request_id, span: null }, () => answerAndCount(...args))
    const attributes = { 'fieldstone.run_id': run_id, 'fieldstone.index': idx }
    return tracing.root({ name: 'run location', kind: 'internal', request_id, attributes, parent: null }, () =>
      answerAndCount(...args),
    )
  }

  async function answerAndCount(...args: Parameters<LocationAnswerer>): ReturnType<LocationAnswerer> {
    const answer = await answerLocation(...args)
    countRunLocation(answer === 'internal_error' ? 'internal_error' : answer.ok ? 'ok' : 'failed')
    return answer
  }
}
