import { packExpectationOf, type DatasetReads } from '../drivers/pack/pack-expectation.ts'
import type { PackRequirements } from '../packs/pack.ts'
import { attributesReadBy, withNestedReads } from './read-spec.ts'
import type { Catalog } from './catalog.ts'
import type { Dataset, ReadSpec } from './records.ts'

/**
 * Returns a function from a file of the packs folder, which can be a part, to what the datasets that read it require.
 */
export function packExpectationsOf({
  fields,
  datasets,
}: Pick<Catalog, 'fields' | 'datasets'>): (file: string) => PackRequirements[] {
  let served: ServedDataset[] | undefined
  return (file) =>
    (served ??= servedDatasetsOf(fields, datasets)).flatMap(({ dataset, datasetReads }) =>
      dataset.serve
        .flatMap((config) => (config.driver === 'pack' ? (packExpectationOf(config, file, datasetReads) ?? []) : []))
        .slice(0, 1),
    )
}

type ServedDataset = { dataset: Dataset; datasetReads: DatasetReads }

function servedDatasetsOf(fields: Catalog['fields'], datasets: Catalog['datasets']): ServedDataset[] {
  const reads = Map.groupBy(
    [...fields.values()].flatMap(({ read }) => withNestedReads(read)),
    ({ dataset }) => dataset,
  )
  return [...datasets].map(([id, dataset]) => ({
    dataset,
    datasetReads: datasetReadsOf(id, dataset, reads.get(id) ?? []),
  }))
}

function datasetReadsOf(id: string, { shape, levels = [], key_field }: Dataset, reads: ReadSpec[]): DatasetReads {
  const attributes = new Map(reads.flatMap(attributesReadBy).map((name) => [name.toLowerCase(), name]))
  return {
    id,
    shape,
    levels,
    keyField: key_field ?? null,
    isKeyed: key_field !== undefined || reads.some(({ key }) => key !== undefined),
    attributes: [...attributes.values()],
    polygons: reads.some(({ op }) => op === 'attribute' || op === 'within' || op === 'first_level'),
  }
}
