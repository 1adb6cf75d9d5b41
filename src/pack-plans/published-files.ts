import { copiedServiceOf, isPublishedByPlace, placeInAddress } from '../catalog/copy-rules.ts'
import type { Dataset } from '../catalog/records.ts'
import type { DriverName } from '../drivers/drivers.ts'
import type { QueryBox } from '../geo/boxes.ts'
import type { Recipe } from '../files/recipe.ts'
import type { Counties, NearbyCounty } from './counties.ts'

/** The addresses of the publisher's files that cover boxes: one for each state or county, if the publisher cuts them so. */
export function fileAddressesOf(
  { files }: Pick<Recipe, 'files'>,
  boxes: readonly QueryBox[],
  counties: Pick<Counties, 'near'>,
): string[] {
  const places = files.some((address) => placeInAddress.test(address)) ? counties.near(boxes) : []
  const filled = files.flatMap((address) =>
    placeInAddress.test(address) ? places.map((place) => fillPlace(address, place)) : [address],
  )
  return [...new Set(filled)]
}

function fillPlace(address: string, { geoid, state, stateName }: NearbyCounty): string {
  const values: Record<string, string> = {
    ST: state,
    State: stateName.replaceAll(' ', '_'),
    state_fips: geoid.slice(0, 2),
    county_fips: geoid,
  }
  return address.replaceAll(new RegExp(placeInAddress, 'g'), (_, name: string) => values[name]!)
}

/** Smaller files are built as a whole, which serves all areas. */
const clippedFrom_bytes = 100_000_000

/**
 * Whether only the features or cells of the area are taken from the publisher's files. `bytes`: the size of the files,
 * or of the raster in them. A recipe that chooses between features needs all of them, and several rasters stay whole.
 */
export function isClippedToArea(dataset: Pick<Dataset, 'recipe' | 'shape'>, bytes: number): boolean {
  if (isPublishedByPlace(dataset)) return true
  const { recipe, shape } = dataset
  const isClippable = shape === 'raster' ? isOneRaster(recipe) : shape === 'features' && !recipe?.one_of
  return isClippable && bytes >= clippedFrom_bytes
}

function isOneRaster(recipe: Recipe | undefined): boolean {
  const [raster, ...others] = recipe?.rasters ?? []
  return raster !== undefined && others.length === 0 && !raster.file.includes('{level}')
}

/** The drivers that read the publisher's files themselves, also for a copy. */
const fileDrivers = new Set<DriverName>(['cog', 'geojson_file', 'table'])

/** Why the service of a dataset is copied although the publisher has files, as a sentence; null if it has none. */
export function reasonAgainstFiles(dataset: Dataset): string | null {
  const { bulk, recipe } = dataset
  const service = copiedServiceOf(dataset)
  if (bulk === null || recipe || service === null || fileDrivers.has(service.driver)) return null
  return /date|YYYY/.test(bulk)
    ? "The names of the publisher's files contain a date that is not known, so the service is copied."
    : "The catalog does not know how to build the publisher's files, so the service is copied."
}
