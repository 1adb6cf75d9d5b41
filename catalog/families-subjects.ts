import type { Field } from '../src/catalog/records.ts'
import { familyField, float, nearest, polygonAtPoint, type Family, type NearestFamily } from './families.ts'

type Monitors = Omit<NearestFamily, 'thing'>
type DesignValue = { prefix: string; pollutant: string; value: string; site: string; hints: string } & Pick<
  Field,
  'valid_range'
>

/**
 * The design value of a pollutant at the nearest monitor that has one, with the site of the monitor and its distance.
 * `prefix` starts the names, such as `no2_1hr`; `value` and `site` are attributes.
 */
export function designValue(
  family: Monitors,
  unit: 'ppb' | 'ugm3',
  { prefix, pollutant, value, site, hints, valid_range = [0, 250] }: DesignValue,
): Field[] {
  const thing = `monitor with a valid ${pollutant} design value`
  const number = { type: 'float', unit: unit === 'ppb' ? 'ppb' : 'ug/m3', decimals: 1, valid_range } as const
  return nearest(
    { ...family, thing },
    {
      [`${prefix}_design_value_${unit}`]: { attribute: value, of: `${pollutant} design value of`, hints, ...number },
      [`${prefix}_monitor_aqs_site_id`]: {
        attribute: site,
        pattern: '^[0-9]',
        of: 'Site number in the Air Quality System of',
        hints,
      },
      [`${prefix}_monitor_distance_m`]: { distance: true, hints },
    },
  )
}

type AirStandard = { pollutant: string; like: string; hints: string }

/**
 * The status and class of the areas of a pollutant in the Green Book of the EPA. `like` matches the names of the
 * pollutant there.
 */
export function airStandard(family: Family, pollutants: Record<string, AirStandard>): Field[] {
  return Object.entries(pollutants).flatMap(([key, { pollutant, like, hints }]) => {
    const isOf = `pollutant_name LIKE '${like}'`
    const thing = `nonattainment or maintenance area for ${pollutant}`
    return polygonAtPoint(
      { ...family, thing },
      {
        [`air_quality_${key}_status`]: {
          attribute: 'current_status',
          description: `Whether the point is in a nonattainment or a maintenance area for ${pollutant}.`,
          hints,
          enum: ['Nonattainment', 'Maintenance'],
          read: {
            where: `${isOf} AND current_status IN ('Nonattainment', 'Maintenance')`,
            pick: ['current_status rank Nonattainment,Maintenance'],
          },
        },
        [`air_quality_${key}_classification`]: {
          attribute: 'classification',
          pattern: '[a-z]',
          description: `Class of the nonattainment area for ${pollutant} at the point.`,
          hints,
          null_meaning: `The point is in no nonattainment area for ${pollutant}, or the area has no class.`,
          read: { where: `${isOf} AND current_status = 'Nonattainment'`, ...bySeverity },
        },
      },
    )
  })
}

/** The most severe class of several areas. The Green Book divides the severe ozone areas by the years that they have. */
export const bySeverity = {
  pick: ['classification rank Extreme,Severe 17,Severe 15,Severe,Serious,Moderate,Marginal'],
  stand_ins: { 'Severe 15': 'Severe', 'Severe 17': 'Severe' },
}

type PlaceKind = { thing: string; overture: string; osm: string; hints: string; isNamed: boolean }

/**
 * The nearest place of each kind in Overture or, if that does not answer, in OpenStreetMap: its distance and its name.
 * `overture` and `osm` are conditions.
 */
export function nearestPlaces(
  family: Omit<NearestFamily, 'dataset' | 'thing'> & { otherwise: string },
  kinds: Record<string, PlaceKind>,
): Field[] {
  const { otherwise, ...shared } = family
  return Object.entries(kinds).flatMap(([kind, { thing, overture, osm, hints, isNamed }]) => {
    const search = { search_radii_m: family.radii_m, where: osm, dataset: otherwise }
    return nearest(
      { ...shared, dataset: 'overture_places', thing, where: overture },
      {
        [`nearest_${kind}_distance_m`]: {
          distance: true,
          hints,
          read: { fallback: [{ op: 'nearest_distance', ...search }] },
        },
        ...(isNamed && {
          [`nearest_${kind}_name`]: {
            attribute: 'name',
            of: 'Name of',
            hints: `Of the place that nearest_${kind}_distance_m measures to.`,
            read: { fallback: [{ op: 'nearest_attribute', attribute: 'name', ...search }] },
          },
        }),
      },
    )
  })
}

type DistanceRow = { dataset: string; thing: string; hints: string }

/** The distance to the nearest thing of each of several datasets. */
export function nearestDistances(
  family: Omit<NearestFamily, 'dataset' | 'thing'>,
  rows: Record<string, DistanceRow>,
): Field[] {
  return Object.entries(rows).flatMap(([name, { hints, ...own }]) =>
    nearest({ ...family, ...own }, { [name]: { distance: true, hints } }),
  )
}

/**
 * Rows of the capacity that waits in the queue of each region for a connection in the county: by the end of the field's
 * name, the name of the region in the source, and what it is.
 */
export function queuedInRegions(regions: Record<string, [region: string, meaning: string]>, hints: string) {
  return Object.fromEntries(
    Object.entries(regions).map(([name, [region, meaning]]) => [
      `interconnection_queue_active_capacity_${name}_mw`,
      {
        read: { where: `q_status = 'active' AND region = '${region}'` },
        ...float('MW', 2, [0, 1_000_000]),
        description: `Capacity in the county that waits for a connection in the queue of ${meaning}.`,
        hints: `${hints} A county can have requests in two queues.`,
      },
    ]),
  )
}

type Overlap = { dataset: string; thing: string; where?: string }

/** How much of the parcel at the point the features of a kind cover, in acres and as a share. */
export function overlapOfParcel(family: Omit<Family, 'dataset'>, kinds: Record<string, Overlap>): Field[] {
  return Object.entries(kinds).flatMap(([kind, { dataset, thing, where }]) => {
    const shared = { ...family, dataset }
    const common = {
      null_meaning: 'No parcel contains the point, or its outline is not known.',
      derivation: `Area of parcel_boundary_geojson that ${thing} cover, each place once. Outlines from a network source are simplified.`,
    }
    const read = {
      op: 'overlap_area' as const,
      from: { outline: 'parcel_boundary_geojson' },
      ...(where !== undefined && { where }),
    }
    const hints = '0 is an answer: the parcel has none. The provider of parcels may bill the call.'
    return [
      familyField(
        `${kind}_acres_on_parcel`,
        { description: `Area of ${thing} on the parcel.`, hints, ...common, ...float('acres', 3, [0, 100_000_000]) },
        shared,
        { ...read, measure: 'acres' },
      ),
      familyField(
        `${kind}_fraction_of_parcel`,
        { description: `Share of the parcel that ${thing} cover.`, hints, ...common, ...float('ratio', 4, [0, 1]) },
        shared,
        { ...read, measure: 'share' },
      ),
    ]
  })
}
