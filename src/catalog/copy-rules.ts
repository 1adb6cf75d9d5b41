import type { Driver } from '../drivers/driver.ts'
import { drivers, type DriverConfig } from '../drivers/drivers.ts'
import type { Dataset } from './records.ts'
import type { TSchema } from '@sinclair/typebox'

/** Readings that are valid for a shorter time are live. */
const liveTtl_s = 3_600

/** Why the data of a dataset may not be copied by any means, as a sentence; null if it may. */
export function reasonAgainstCopy({ ttl_seconds, serve, no_copy }: Dataset): string | null {
  if (no_copy !== undefined) return no_copy
  if (ttl_seconds <= liveTtl_s) return 'It has live readings, which a copy would soon answer wrongly.'
  if (serve.some((serving) => 'metered' in serving && serving.metered)) return 'Every request is billed.'
  return null
}

/**
 * The service of a dataset whose data can be copied by area: by default the one that answers first online. Null if
 * there is none.
 */
export function copiedServiceOf({ serve, copied_from }: Dataset): DriverConfig | null {
  const service = copied_from ?? serve.find(({ driver }) => driver !== 'pack' && driver !== 'embedded')
  if (!service) return null
  const { driver: name, ...config } = service
  const { harvest, canHarvest } = drivers[name] as Driver<TSchema>
  return harvest && canHarvest?.(config) !== false ? service : null
}

/** What stands for a state or county in the address of a file. */
export const placeInAddress = /\{(ST|State|state_fips|county_fips)\}/

/** Whether the publisher has a file for each state or county, so that packs are built for areas. */
export function isPublishedByPlace({ recipe }: Pick<Dataset, 'recipe'>): boolean {
  return recipe?.files.some((address) => placeInAddress.test(address)) ?? false
}

/** Whether one command makes a pack of the dataset for an area. */
export function canCopyArea(dataset: Dataset): boolean {
  const hasPack = dataset.serve.some(({ driver }) => driver === 'pack')
  return (
    hasPack &&
    reasonAgainstCopy(dataset) === null &&
    (dataset.recipe !== undefined || copiedServiceOf(dataset) !== null)
  )
}
