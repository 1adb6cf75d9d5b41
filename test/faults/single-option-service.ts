import * as ours from '../../catalog/contents.ts'
import type { CatalogContents, Dataset } from '../../src/catalog/records.ts'
import type { FetchAnswer } from '../../src/fetch/fetch-answer.ts'
import type { Point } from '../../src/model/place.ts'
import { openOnlineService, type OnlineService } from '../upstreams/online-service.ts'
import { testPlaces } from '../upstreams/test-places.ts'
import { remoteFieldsByDriver, driverOf } from './remote-fields.ts'

export type { OnlineService } from '../upstreams/online-service.ts'

/** Opens the service with only the tested source option of each dataset of the matrix. */
export function openSingleOptionService({
  budget_ms,
  env = {},
}: { budget_ms?: number; env?: Record<string, string> } = {}): OnlineService {
  const contents = contentsWith((id, dataset) => ({
    ...dataset,
    serve: optionsOfDriver.get(id) ?? dataset.serve,
    ...(budget_ms !== undefined && { budget_ms }),
  }))
  return openOnlineService(env, { contents })
}

/** The catalog with changed datasets. */
function contentsWith(change: (id: string, dataset: Dataset) => Dataset): CatalogContents {
  return {
    ...ours,
    datasets: Object.fromEntries(Object.entries(ours.datasets).map(([id, dataset]) => [id, change(id, dataset)])),
  }
}

/** Fetches fields like a client does. Default: at Boulder. */
export async function fetchFromOption(
  { post }: Pick<OnlineService, 'post'>,
  fields: readonly string[],
  at: Point = testPlaces.boulder,
): Promise<FetchAnswer & { http: number }> {
  const response = await post('/v1/fetch', { ...at, fields })
  return { http: response.status, ...((await response.json()) as FetchAnswer) }
}

const optionsOfDriver = new Map(
  ours.fields.flatMap(({ name, read }) => {
    if (!Object.values(remoteFieldsByDriver).some((names) => (names as readonly string[]).includes(name))) return []
    const ways = ours.datasets[read.dataset]!.serve.filter(({ driver }) => driver === driverOf(name))
    return [[read.dataset, ways.slice(0, 1)] as const]
  }),
)
