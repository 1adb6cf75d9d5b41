import { areaLimits } from '../../areas/area-schema.ts'
import { askMax_ms } from '../../ask/ask.ts'
import { plannerMax_ms } from '../../ask/planner/model-planner.ts'
import { modelRetriesMax } from '../../ask/planner/models.ts'
import { planFieldsMax } from '../../ask/planner/plan.ts'
import { synthesizerMax_ms } from '../../ask/answer/synthesizer.ts'
import type { LimitsDocument } from '../../catalog/meta-documents.ts'
import type { Config } from '../../config.ts'
import { sheetCellsMax, sheetColumnsMax } from '../../files/workbook/sheet-rows.ts'
import { batchConcurrency, batchMax_ms, batchLocationsMax } from '../../fetch/batch.ts'
import { fetchMax_ms } from '../../fetch/fetch.ts'
import { cacheTtl_s } from '../../fetch/sources/source-cache.ts'
import { retriesMax } from '../../net/retry.ts'
import { fieldMax_ms } from '../../fetch/field-deadlines.ts'
import { zipLimits } from '../../files/zip/zip.ts'
import { foundTtl_days, rejectedTtl_days } from '../../place/geocode.ts'
import { geocodeLimits_ms } from '../../place/geocoders/geocoder.ts'
import { runRetention_days } from '../../runs/run-id.ts'
import { uploadColumnsMax } from '../../files/table/upload-columns.ts'
import { largeUploadsMax, largeUploadsPerAccount } from '../../runs/upload/upload-queue.ts'
import { workbookMax_bytes } from '../../runs/upload/workbook-rows.ts'
import { runFileRowsMax, runLocationsMax } from '../../runs/upload/upload.ts'
import { auditRetention_days } from '../../store/audit.ts'
import { questionMax_characters } from '../places/ask.ts'
import {
  bodyMax_bytes,
  bodyPace,
  largeBodiesMax,
  largeBodiesPerAccount,
  runBodyMax_bytes,
  smallBodyMax_bytes,
} from '../request/body.ts'
import { functionRowsMax } from '../functions/function-engines.ts'
import { featurePageLimits } from '../ogc/ogc-features.ts'
import { addressMax_characters } from '../../model/text.ts'
import { mcpValuesMax } from '../mcp/mcp-body.ts'
import { stalledReader_s } from '../runs/paced-stream.ts'
import { readersPerAccount } from '../runs/reader-slots.ts'

/** Returns every limit with its value, unit and scope. */
export function limitsDocument({ config }: { config: LimitConfig }): LimitsDocument {
  return {
    limits: {
      ...fieldLimits(config),
      ...requestLimits,
      ...admissionLimits(config),
      ...runAndAddressLimits,
      ...boundedWorkLimits,
    },
  }
}

type LimitConfig = Pick<Config, 'concurrency' | 'queue' | 'fetch_fields_max'>

function fieldLimits({ fetch_fields_max }: LimitConfig) {
  return {
    fields_per_fetch: limit(fetch_fields_max, 'fields', '/v1/fetch, after preset expansion'),
    explicit_fields_per_batch: limit(
      fetch_fields_max,
      'fields',
      '/v1/fetch/batch; the fields of a preset are not counted',
    ),
  }
}

function limit(value: number, unit: string, applies_to: string): LimitsDocument['limits'][string] {
  return { value, unit, applies_to }
}

/** How much longer than the server a client waits, so that it gets the answer of the server. */
const clientMargin_ms = 30_000

const requestLimits = {
  locations_per_fetch: limit(1, 'locations', '/v1/fetch'),
  locations_per_batch: limit(batchLocationsMax, 'locations', '/v1/fetch/batch'),
  batch_concurrency: limit(batchConcurrency, 'locations', '/v1/fetch/batch'),
  field_budget: limit(fieldMax_ms.any, 'milliseconds', 'every field except those below'),
  road_and_building_budget: limit(fieldMax_ms['roads and buildings'], 'milliseconds', 'fields of roads and buildings'),
  satellite_budget: limit(
    fieldMax_ms.satellite,
    'milliseconds',
    'fields of satellite scenes and of the image services of the Forest Service',
  ),
  fetch_budget: limit(fetchMax_ms, 'milliseconds', '/v1/fetch'),
  area_positions: limit(areaLimits.vertices, 'positions', '/v1/areas, the complete geometry'),
  area_size: limit(areaLimits.area_km2, 'km²', '/v1/areas, polygons'),
  area_line_length: limit(areaLimits.line_km, 'km', '/v1/areas, lines'),
  area_overlay_time: limit(areaLimits.overlay_ms, 'milliseconds', '/v1/areas, all polygon overlays of one area'),
  planned_fields: limit(planFieldsMax, 'fields', '/v1/ask; larger presets are truncated'),
  ask_budget: limit(askMax_ms, 'milliseconds', '/v1/ask'),
  planner_budget: limit(plannerMax_ms, 'milliseconds', '/v1/ask, field selection'),
  synthesizer_budget: limit(synthesizerMax_ms, 'milliseconds', '/v1/ask, answer text'),
  model_retries: limit(modelRetriesMax, 'retries', '/v1/ask, a call to a model, within the budget of its stage'),
  question_length: limit(questionMax_characters, 'characters', '/v1/ask'),
  features_per_page: limit(featurePageLimits.max, 'features', '/ogc'),
  batch_budget: limit(batchMax_ms, 'milliseconds', '/v1/fetch/batch'),
  batch_client_timeout: limit(batchMax_ms + clientMargin_ms, 'milliseconds', 'clients of /v1/fetch/batch: not less'),
  rows_per_function_call: limit(
    functionRowsMax,
    'rows',
    `/v1/functions; ${batchLocationsMax} if the fields or addresses need other servers`,
  ),
}

function admissionLimits(config: LimitConfig) {
  return {
    concurrency: limit(config.concurrency, 'locations at once', 'fetch and batch'),
    queue: limit(config.queue, 'locations waiting', 'fetch and batch'),
  }
}

const runAndAddressLimits = {
  locations_per_run: limit(runLocationsMax, 'locations', '/v1/runs, a body of JSON'),
  rows_per_run_file: limit(runFileRowsMax, 'rows', '/v1/runs, a CSV file or a workbook'),
  columns_per_run: limit(uploadColumnsMax, 'columns', '/v1/runs, first line of a CSV'),
  run_retention: limit(runRetention_days, 'days', 'a run, from its submission'),
  run_body: limit(runBodyMax_bytes, 'bytes', 'the body of /v1/runs'),
  body: limit(bodyMax_bytes, 'bytes', 'every other request body'),
  address_length: limit(addressMax_characters, 'characters', 'every address, and the input of /v1/lookup'),
  inputs_per_request: limit(1, 'inputs', '/v1/geocode and /v1/lookup'),
  geocode_primary_budget: limit(geocodeLimits_ms.geocodio, 'milliseconds', 'every address, the first geocoder'),
  geocode_fallback_budget: limit(geocodeLimits_ms.census, 'milliseconds', 'every address, the next geocoder'),
  geocode_budget: limit(geocodeLimits_ms.all, 'milliseconds', 'every address, all providers together'),
  upstream_cache: limit(
    cacheTtl_s(Infinity) / 3600,
    'hours',
    'answers of other servers, or less if their data is valid for less',
  ),
  upstream_retries: limit(retriesMax, 'retries', 'a query to another server; billed queries are never retried'),
  catalog_refresh: limit(1, 'hours', 'clients that check /v1/meta/fields for changes: not more often'),
  geocode_cache: limit(foundTtl_days, 'days', 'found addresses'),
  geocode_negative_cache: limit(
    rejectedTtl_days * 24,
    'hours',
    'addresses that are not found, too coarse or ambiguous',
  ),
  geocode_audit_retention: limit(
    auditRetention_days,
    'days',
    'address audit records; the records of a month are deleted this many days after the month ends',
  ),
}

const largeBodies = `bodies above ${smallBodyMax_bytes / 1024} KiB, up to ${bodyMax_bytes / 2 ** 20} MiB`
const largeSubmissions = `submissions to /v1/runs above ${bodyMax_bytes / 2 ** 20} MiB`
const sheets = 'a sheet of a workbook (.xlsx), uploaded or from a publisher'
const archives = 'a ZIP archive for `pack build`'

/** What one client, publisher or file can make the server do. */
const boundedWorkLimits = {
  body_deadline: limit(bodyPace.deadline_ms, 'milliseconds', 'the arrival of every request body'),
  body_least_rate: limit(
    bodyPace.least_bytes_per_s,
    'bytes per second',
    'every request body: its average rate once `body_grace` has passed',
  ),
  body_grace: limit(bodyPace.grace_ms, 'milliseconds', 'every request body, until its rate is checked'),
  large_bodies: limit(largeBodiesMax, 'bodies at once', largeBodies),
  large_bodies_per_account: limit(largeBodiesPerAccount, 'bodies at once', largeBodies),
  large_submissions: limit(largeUploadsMax, 'bodies at once', largeSubmissions),
  large_submissions_per_account: limit(largeUploadsPerAccount, 'bodies at once', largeSubmissions),
  mcp_values: limit(mcpValuesMax, 'JSON values', 'a message to /mcp'),
  readers_per_account: limit(
    readersPerAccount,
    'responses at once',
    'documents, files and event streams of runs, and /v1/ask/stream',
  ),
  stalled_reader: limit(stalledReader_s, 'seconds', 'a client that reads nothing of its response'),
  workbook: limit(workbookMax_bytes, 'bytes', 'a workbook (.xlsx) for /v1/runs, and its sheet as CSV'),
  sheet_columns: limit(sheetColumnsMax, 'columns', sheets),
  sheet_cells: limit(sheetCellsMax, 'cells', sheets),
  archive_members: limit(zipLimits.members, 'members', archives),
  archive_member_size: limit(
    zipLimits.member_bytes,
    'bytes, decompressed',
    'a member of a ZIP archive for `pack build`',
  ),
  archive_size: limit(zipLimits.archive_bytes, 'bytes, decompressed', archives),
  archive_ratio: limit(
    zipLimits.ratio,
    'decompressed bytes per compressed byte',
    `a member larger than ${zipLimits.anyRatio_bytes / 2 ** 20} MiB, in a ZIP archive for \`pack build\``,
  ),
  archive_depth: limit(zipLimits.depth, 'archives inside each other', archives),
}
